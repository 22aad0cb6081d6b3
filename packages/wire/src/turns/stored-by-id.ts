import type { RequestAddress } from '../format/request-reader.ts';
import type { ResponseAlias, StoredRequest, StoredResponses } from '../format/stored-responses.ts';
import type { RequestView, Round, Turn } from '../format/view.ts';
import { withMembers, withoutElements } from '../json/json-members.ts';
import { type Edit, isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { decodePath } from '../request/decode-path.ts';
import { HiddenNames } from '../tools/hidden-names.ts';
import { foundNames, type KeptResult, keepResults } from './kept-result.ts';

/** A stored round, as later requests need it. */
export interface StoredRound {
  /** The provider's id, by which a request goes on from it. */
  readonly id: string;
  /** The id that the client has of the response in which it reads. */
  readonly given: string;
}

/** A format's way to store responses and to name them. */
export interface StoredDialect {
  /** The member of a request that names the response that it continues. */
  readonly previous: string;
  /** Finds the `id` in the path of a request about one response, and the path `before` and `behind` it. */
  readonly byId: RegExp;
  /** Further actions, by method and the path behind the id. */
  readonly actions?: typeof ACTIONS;
  /** The members of a stored response that list what was said. */
  readonly lists: readonly string[];
  /** A result of a search next to real calls as it is kept, with what the format needs of the turn to write it. */
  keepResult(result: KeptResult, turn: Turn): object;
  /** Whether an entry of `tools` is hidden. */
  isHiddenTool(entry: JsonObject, hidden: HiddenNames): boolean;
  /** The id of a hidden call, undefined for any other item. */
  hiddenCallOf(item: JsonObject, hidden: HiddenNames): unknown;
  /** Whether an item is the result of one of these hidden calls. */
  isHiddenResult(item: JsonObject, hidden: HiddenNames, calls: ReadonlySet<unknown>): boolean;
}

/** The responses that a provider stores unless `store` is false. */
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
      return {
        id,
        rounds: rounds.flatMap(({ turn }) => (turn.state as StoredRound | undefined)?.id ?? []),
        ...(plan.offered && { offered: plan.offered }),
        names: namesToDeclare(rounds, earlier, new Set(plan.loadMode === 'swap' ? plan.defer : [])),
        results: keepResults(rounds.at(-1)!).map((result) =>
          JSON.stringify(dialect.keepResult(result, last)),
        ),
      };
    },
    ...routesById(dialect),
    showStored: (body, alias, searchToolName) => {
      const read = parseJson(body);
      return isJsonObject(read) ? show(body, read, dialect, alias, searchToolName) : body;
    },
  };
}

/** The client's id of a response is that of a round; the next request goes on from the last. */
export function goOnFrom({ body, spans }: RequestView, member: string, last: string | undefined): Edit[] {
  const span = spans.members.get(member);
  if (last === undefined || span === undefined || body[member] === last) return [];
  return [{ ...span, text: JSON.stringify(last) }];
}

/**
 * Names of the tools that a request has to declare which goes on from these rounds, in load order: what the model found, and what it called of
 * `deferred`, as the history that shows it stays with the provider.
 */
function namesToDeclare(
  rounds: readonly Round[],
  earlier: ResponseAlias | undefined,
  deferred: ReadonlySet<string>,
): string[] {
  const called = rounds.flatMap(({ turn }) => turn.realCalls.map(({ name }) => name));
  const names = [
    ...(earlier?.names ?? []),
    ...foundNames(rounds),
    ...called.filter((name) => deferred.has(name)),
  ];
  return [...new Set(names)];
}

/** A stored response by the id that the client knows, without hidden calls, their results and hidden tools. Anything else stays as it came. */
function show(
  body: string,
  read: JsonObject,
  dialect: StoredDialect,
  { id, rounds, offered }: ResponseAlias,
  searchToolName: string,
): string {
  const hidden = new HiddenNames(searchToolName, offered);
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

/** The ids of the first and the last item, which a page tells. */
function endsOf(page: JsonObject, data: string | undefined): Record<string, string> {
  if (data === undefined) return {};
  const ids = (parseJson(data) as unknown[]).filter(isJsonObject).map(({ id }) => JSON.stringify(id ?? null));
  return {
    ...('first_id' in page && { first_id: ids[0] ?? 'null' }),
    ...('last_id' in page && { last_id: ids.at(-1) ?? 'null' }),
  };
}

type Action = StoredRequest['action'];

/** The action that a method stands for behind the id of a stored response. */
const ACTIONS: readonly (readonly [method: string, action: Action])[] = [
  ['GET', 'get'],
  ['DELETE', 'delete'],
  ['POST /cancel', 'cancel'],
];

/** Requests about one stored response. A deleted response is gone with every round of it. */
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
      return { id: decodePath(id), action, around: [before, behind], query, isStream };
    },
    targetsOf({ action, around: [before, behind], query }, { rounds }): readonly RequestAddress[] {
      const ids = action === 'delete' ? rounds : rounds.slice(-1);
      return ids.map((id) => ({ path: `${before}${encodeURIComponent(id)}${behind}`, query }));
    },
  };
}
