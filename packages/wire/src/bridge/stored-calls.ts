import type { Plan, RequestView, Round, ToolCall, Turn } from '../format/view.ts';
import { withElements, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { bareName } from '../tools/bare-name.ts';
import { HiddenNames } from '../tools/hidden-names.ts';
import { argumentsIn, readInnerCall } from './inner-call.ts';
import { withoutPreloaded } from './preloaded-text.ts';

/**
 * The facts about bridge mode without which a stored response cannot be shown.
 *
 * Contract: plain data that survives JSON.
 */
export interface StoredBridge {
  /** The bridge tool's name. */
  readonly tool: string;
  /** Ids of calls of the bridge tool that were refused. */
  readonly refused: readonly string[];
  /** Ids of the last turn's calls of the bridge tool, which the client answers; absent in older data. */
  readonly open?: readonly string[];
  /** Names of the namespaces of called functions. */
  readonly namespaces: readonly string[];
}

/** The places of calls in a stored response. */
export interface StoredCalls {
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
export function storedBridge(
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
export function showCalls(
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
