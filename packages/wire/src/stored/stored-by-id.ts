import { decodePercent, type Edit } from '@winnow/core';
import { withoutPreloaded } from '../bridge/found-definitions.ts';
import { argumentsIn, readInnerCall } from '../bridge/inner-call.ts';
import type {
  RequestAddress,
  ResponseAlias,
  StoredBridge,
  StoredRequest,
  StoredResponses,
} from '../format/request-parts.ts';
import type { Plan, RequestView, Round, ToolCall, Turn } from '../format/view.ts';
import type { StoredRound } from '../joining/envelope-state.ts';
import { withElements, withMembers, withoutElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson } from '../json/json-value.ts';
import { isReadable } from '../json/scan-json.ts';
import { bareName, HiddenNames } from '../tools/hidden-names.ts';
import { foundNames, type KeptResult, keepResults } from '../turns/kept-result.ts';

/** A format's way to store responses and to name them. */
export interface StoredDialect {
  /** The member of a request that names the response that it continues. */
  readonly previous: string;
  /**
   * Matches the path of a request about one response; the groups are `id` and the parts `before` and `behind`
   * it.
   */
  readonly byId: RegExp;
  /** Further actions, by method and the path after the id. */
  readonly actions?: typeof ACTIONS;
  /** The members of a stored response that list its items. */
  readonly lists: readonly string[];
  /**
   * Returns the kept form of a search result next to real calls, with the facts about the turn that writing
   * it needs.
   */
  keepResult(result: KeptResult, turn: Turn): object;
  /** The places of calls, for bridge mode. */
  readonly calls: StoredCalls;
  /** Whether an entry of `tools` is hidden. */
  isHiddenTool(entry: JsonObject, hidden: HiddenNames): boolean;
  /** Returns the id of a hidden call; undefined for any other item. */
  hiddenCallOf(item: JsonObject, hidden: HiddenNames): unknown;
  /** Whether an item is the result of one of these hidden calls. */
  isHiddenResult(item: JsonObject, hidden: HiddenNames, calls: ReadonlySet<unknown>): boolean;
}

/** Returns the capability for responses that a provider stores unless `store` is false. */
export function storedById(dialect: StoredDialect): StoredResponses {
  const idOf = ({ body }: RequestView, { state }: Turn) =>
    body.store === false ? undefined : (state as StoredRound | undefined)?.given;
  return {
    previousId: ({ body }) => {
      const id = body[dialect.previous];
      return typeof id === 'string' && id !== '' ? id : undefined;
    },
    idOf,
    aliasOf: (view, plan, rounds, earlier) => {
      const last = rounds.at(-1)?.turn;
      const id = last && idOf(view, last);
      if (last === undefined || id === undefined) return undefined;
      const { calls } = dialect;
      const bridge = storedBridge(view, plan, rounds, { earlier: earlier?.bridge, calls });
      return {
        id,
        ...(bridge && { bridge }),
        rounds: rounds.flatMap(({ turn }) => (turn.state as StoredRound | undefined)?.id ?? []),
        ...(plan.offered && { offered: plan.offered }),
        names: namesToDeclare(
          rounds,
          [...(earlier?.names ?? []), ...plan.load],
          new Set(plan.loadMode === 'swap' ? plan.defer : []),
        ),
        results: keepResults(rounds.at(-1)!).map((result) =>
          JSON.stringify(dialect.keepResult(result, last)),
        ),
      };
    },
    ...routesById(dialect),
    showStored: (body, alias, searchToolName) => {
      if (!isReadable(body)) return body;
      const shown = showCalls(body, dialect.lists, alias.bridge, dialect.calls);
      const read = parseJson(shown);
      return isJsonObject(read) ? show(shown, read, dialect, alias, searchToolName) : body;
    },
  };
}

/**
 * Returns the edit that continues from the last round. The client's id of a response may be that of an
 * earlier round.
 */
export function goOnFrom({ body, spans }: RequestView, member: string, last: string | undefined): Edit[] {
  const span = spans.members.get(member);
  if (last === undefined || span === undefined || body[member] === last) return [];
  return [{ ...span, text: JSON.stringify(last) }];
}

/**
 * Returns the names of the tools that a request continuing these rounds has to declare, in load order: those
 * loaded before, those found by the model, and those of `deferred` that it called, because the history that shows them stays with
 * the provider.
 */
function namesToDeclare(
  rounds: readonly Round[],
  loaded: readonly string[],
  deferred: ReadonlySet<string>,
): string[] {
  const called = rounds.flatMap(({ turn }) => turn.realCalls.map(({ name }) => name));
  const names = [...loaded, ...foundNames(rounds), ...called.filter((name) => deferred.has(name))];
  return [...new Set(names)];
}

/**
 * Returns a stored response under the client's id, without hidden calls, their results and hidden tools. Any
 * other body stays unchanged.
 */
function show(
  body: string,
  read: JsonObject,
  dialect: StoredDialect,
  { id, rounds, offered = [], bridge }: ResponseAlias,
  searchToolName: string,
): string {
  const declared = objectsIn(read.tools).map(({ name }) => String(name));
  const answered = bridge ? [...offered, bridge.tool] : offered;
  const hidden = new HiddenNames(searchToolName, answered, new Set(declared));
  const items = dialect.lists.flatMap((list) => (Array.isArray(read[list]) ? (read[list] as unknown[]) : []));
  const calls = new Set(
    items.filter(isJsonObject).flatMap((item) => dialect.hiddenCallOf(item, hidden) ?? []),
  );
  const isHidden = (item: JsonObject) =>
    dialect.hiddenCallOf(item, hidden) !== undefined || dialect.isHiddenResult(item, hidden, calls);
  const changes = Object.assign(
    {},
    read.id === rounds.at(-1) && read.id !== id && { id: JSON.stringify(id) },
    withoutElements(body, read, 'tools', (entry) => dialect.isHiddenTool(entry, hidden)),
    ...dialect.lists.map((list) => withoutElements(body, read, list, isHidden)),
  ) as Record<string, string>;
  return withMembers(body, { ...changes, ...endsOf(read, changes.data) });
}

/** Returns the ids of the first and the last item, which a page contains. */
function endsOf(page: JsonObject, data: string | undefined): Record<string, string> {
  if (data === undefined) return {};
  const ids = (parseJson(data) as unknown[]).filter(isJsonObject).map(({ id }) => JSON.stringify(id ?? null));
  return {
    ...('first_id' in page && { first_id: ids[0] ?? 'null' }),
    ...('last_id' in page && { last_id: ids.at(-1) ?? 'null' }),
  };
}

type Action = StoredRequest['action'];

/** The actions by method and the path after the id of a stored response. */
const ACTIONS: readonly (readonly [method: string, action: Action])[] = [
  ['GET', 'get'],
  ['DELETE', 'delete'],
  ['POST /cancel', 'cancel'],
];

/**
 * Returns the routes of requests about one stored response. Deleting a response deletes all of its rounds.
 */
function routesById({
  byId,
  actions = [],
}: StoredDialect): Pick<StoredResponses, 'matchRoute' | 'targetsOf'> {
  const known: ReadonlyMap<string, Action> = new Map([...ACTIONS, ...actions]);
  return {
    matchRoute(method, { path, query }) {
      const { before = '', id = '', behind = '' } = byId.exec(path)?.groups ?? {};
      const action = known.get(behind === '' ? method : `${method} ${behind}`);
      if (id === '' || action === undefined) return undefined;
      const isStream = action === 'get' && new URLSearchParams(query).get('stream') === 'true';
      return { id: decodePercent(id), action, around: [before, behind], query, isStream };
    },
    targetsOf({ action, around: [before, behind], query }, { rounds }): readonly RequestAddress[] {
      const ids = action === 'delete' ? rounds : rounds.slice(-1);
      return ids.map((id) => ({ path: `${before}${encodeURIComponent(id)}${behind}`, query }));
    },
  };
}

/** The places of calls in a stored response. */
interface StoredCalls {
  /** Returns the names of the namespaces that a request declares. */
  namespacesIn?(view: RequestView): readonly string[];
  /** Returns a call's id and its arguments as JSON text; undefined for any other item. */
  read(item: JsonObject, text: string): { readonly id: unknown; readonly arguments: string } | undefined;
  /** Returns the arguments of a call as the item holds them. */
  write(given: string): string;
}

/** The most refused calls that are remembered of a conversation: it may go on for ever. */
const MOST_REFUSED = 256;

/** Returns the facts to keep for an exchange, with those of the response that it continues. */
function storedBridge(
  view: RequestView,
  plan: Plan,
  rounds: readonly Round[],
  { earlier, calls }: { readonly earlier: StoredBridge | undefined; readonly calls: StoredCalls },
): StoredBridge | undefined {
  if (plan.loadMode !== 'bridge') return earlier;
  const tool = plan.bridgeTool.name;
  const turns = rounds.map(({ turn }) => turn);
  const refused = turns.flatMap(({ searches }) => searches.filter(({ name }) => name === tool));
  const called = turns.flatMap(({ realCalls }) => realCalls.map(({ name }) => name));
  const namespaces = (calls.namespacesIn?.(view) ?? []).filter((namespace) =>
    called.some((name) => name.startsWith(`${namespace}.`)),
  );
  const ids = new Set([...(earlier?.refused ?? []), ...refused.map(({ id }) => id)]);
  return {
    tool,
    refused: [...ids].slice(-MOST_REFUSED),
    open: openCalls(turns.at(-1), plan),
    namespaces: [...new Set([...(earlier?.namespaces ?? []), ...namespaces])],
  };
}

/** Returns the ids of a turn's calls for the client that the model wrote as calls of the bridge tool. */
function openCalls(turn: Turn | undefined, { defer }: Plan): string[] {
  const isBridged = ({ name }: ToolCall, at: number) => {
    const note = turn?.exact?.find((exact) => exact.at === at);
    return note === undefined ? defer.includes(name) : note.around !== undefined;
  };
  return turn?.realCalls.filter(isBridged).map(({ id }) => id) ?? [];
}

/**
 * Returns a stored response with the calls that the client has in place of bridge calls, and its messages
 * without the definitions of preloaded tools.
 */
function showCalls(
  body: string,
  lists: readonly string[],
  bridge: StoredBridge | undefined,
  calls: StoredCalls,
): string {
  const read = bridge === undefined ? undefined : parseJson(body);
  if (bridge === undefined || !isJsonObject(read)) return body;
  const names = new Map<unknown, string>();
  return lists.reduce((shown, list) => {
    const items = read[list];
    if (!Array.isArray(items)) return shown;
    return withElements(shown, list, (text, at) => showItem(text, items[at], { bridge, calls, names }));
  }, body);
}

interface Showing {
  readonly bridge: StoredBridge;
  readonly calls: StoredCalls;
  /** The names of the called tools by the ids of their calls. */
  readonly names: Map<unknown, string>;
}

function showItem(text: string, item: unknown, { bridge, calls, names }: Showing): string {
  if (!isJsonObject(item)) return text;
  if (item.role === 'user' || item.type === 'user_input') return showMessage(text, item, bridge);
  if (new HiddenNames(bridge.tool).meantBy(String(item.name)) === undefined) return text;
  const call = calls.read(item, text);
  if (bridge.refused.includes(String(call?.id ?? item.call_id))) return text;
  if (call === undefined) {
    // A result may name its tool, but need not.
    const name = names.get(item.call_id);
    return withMembers(text, { name: name === undefined ? undefined : JSON.stringify(name) });
  }
  const inner = readInnerCall(call.arguments, bridge.tool);
  if (inner === undefined) return text;
  const { name, namespace } = placeOf(inner.name, bridge.namespaces);
  names.set(call.id, name);
  return withMembers(text, {
    name: JSON.stringify(name),
    ...(namespace !== undefined && { namespace: JSON.stringify(namespace) }),
    arguments: calls.write(argumentsIn(call.arguments, inner)),
  });
}

/** Returns a message without the definitions of preloaded tools: a text of its own, or the end of one. */
function showMessage(text: string, { content }: JsonObject, { tool }: StoredBridge): string {
  if (!Array.isArray(content)) return text;
  return withElements(text, 'content', (part, at) => {
    const read: unknown = content[at];
    if (!isJsonObject(read) || typeof read.text !== 'string') return part;
    const own = withoutPreloaded(read.text, tool);
    if (own === read.text) return part;
    return own === '' ? undefined : withMembers(part, { text: JSON.stringify(own) });
  });
}

function placeOf(name: string, namespaces: readonly string[]): { name: string; namespace?: string } {
  const namespace = namespaces.find((one) => name.startsWith(`${one}.`));
  if (namespace !== undefined) return { name: name.slice(namespace.length + 1), namespace };
  return { name: bareName(name) };
}
