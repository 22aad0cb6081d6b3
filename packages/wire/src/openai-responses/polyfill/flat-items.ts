import type { RequestView } from '../../format/view.ts';
import { memberOf, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject, textOf, textOrNone } from '../../json/json-splice.ts';
import type { FlatNames } from './flat-names.ts';
import { type FlatTool, flattenTools } from './flat-tools.ts';

/**
 * A history without the items that need an upstream with deferred tools, and the tools that it has loaded.
 */
export interface FlatHistory {
  /** Its items as JSON; undefined when none had to change. */
  readonly items: readonly string[] | undefined;
  /** The loaded tools in order of appearance, with repetitions. */
  readonly loaded: readonly FlatTool[];
}

/** Rewrites a history. `isLone` tells whether a function was declared outside all namespaces. */
export function flattenHistory(
  { text, spans, history }: RequestView,
  names: FlatNames,
  isLone: (name: string) => boolean,
): FlatHistory {
  const loaded: FlatTool[] = [];
  let isChanged = false;
  const items = history.flatMap((item, at) => {
    const own = textOf(text, spans.history[at]!);
    if (!isJsonObject(item)) return [own];
    const tools = bringsTools(item) ? toolsOf(item, own, names) : [];
    loaded.push(...tools);
    const flat = flattenItem(item, own, { names, isLone, tools });
    isChanged ||= flat !== own;
    return flat === undefined ? [] : [flat];
  });
  return { items: isChanged ? items : undefined, loaded };
}

/** Whether an item carries definitions of tools. */
export function bringsTools({ type }: JsonObject): boolean {
  return type === 'tool_search_output' || type === 'additional_tools';
}

/** Returns the flat tools of an item. */
function toolsOf({ tools: value }: JsonObject, text: string, names: FlatNames): FlatTool[] {
  const list = memberOf(text, 'tools');
  return list === undefined ? [] : flattenTools({ text: list, value }, names);
}

interface ItemContext {
  readonly names: FlatNames;
  readonly isLone: (name: string) => boolean;
  /** The tools that the item carries. */
  readonly tools: readonly FlatTool[];
}

/**
 * Returns the item for an upstream without deferred tools; undefined for an item without a counterpart there.
 */
function flattenItem(
  item: JsonObject,
  text: string,
  { names, isLone, tools }: ItemContext,
): string | undefined {
  switch (item.type) {
    case 'tool_search_call':
      return isByClient(item) ? searchCall(item, text, names) : undefined;
    case 'tool_search_output':
      return isByClient(item) ? searchOutput(item, tools) : undefined;
    case 'additional_tools':
      return undefined;
    default:
      return withFlatName(item, text, { names, isLone });
  }
}

/** Whether the client ran a search. A search that the provider ran has no id to answer. */
function isByClient({ execution, call_id: id }: JsonObject): boolean {
  return execution !== 'server' && typeof id === 'string';
}

function searchCall(
  { id, call_id, arguments: given, status }: JsonObject,
  text: string,
  names: FlatNames,
): string {
  const json = typeof given === 'string' ? given : (memberOf(text, 'arguments') ?? '{}');
  return JSON.stringify({
    type: 'function_call',
    ...(typeof id === 'string' && { id: id.replace(/^tsc_/, 'fc_') }),
    call_id,
    name: names.search,
    arguments: json,
    ...(typeof status === 'string' && { status }),
  });
}

function searchOutput({ call_id, status }: JsonObject, tools: readonly FlatTool[]): string {
  const found = tools.flatMap(({ name }) => name ?? []);
  const output = found.length === 0 ? 'No tool matches.' : `Loaded: ${found.join(', ')}.`;
  return JSON.stringify({
    type: 'function_call_output',
    call_id,
    output,
    ...(typeof status === 'string' && { status }),
  });
}

/**
 * Returns a call under its flat name. A call names its namespace; for a function that was loaded on its own,
 * that is the function's own name, and not a namespace.
 */
function withFlatName(item: JsonObject, text: string, { names, isLone }: Omit<ItemContext, 'tools'>): string {
  const { type, name, namespace } = item;
  if ((type !== 'function_call' && type !== 'custom_tool_call') || typeof name !== 'string') return text;
  if (!('namespace' in item)) return text;
  const own = textOrNone(namespace);
  const isPlain = own === undefined || (own === name && isLone(name));
  const flat = isPlain ? name : names.flatten({ namespace: own, name });
  return withMembers(text, { name: JSON.stringify(flat), namespace: undefined });
}
