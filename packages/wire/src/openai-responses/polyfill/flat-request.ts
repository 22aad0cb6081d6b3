import { elementsOf, memberSpan, SEARCH_PARAMETERS, textOf } from '@winnow/core';
import type { RequestView } from '../../format/view.ts';
import { memberOf, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../../json/json-value.ts';
import { hashText } from '../../turns/turn-keys.ts';
import { isNamespace } from '../read-request.ts';

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

/** A list of tools in a request: its text and its parsed value. */
export interface WrittenList {
  readonly text: string;
  readonly value: unknown;
}

/** A tool without a namespace. */
export interface FlatTool {
  /** Undefined for a tool without a name, such as a hosted one. */
  readonly name: string | undefined;
  readonly text: string;
  /** Whether the tool had to be loaded before a call. */
  readonly isDeferred: boolean;
}

/** Whether a tool is the vendor's tool search, run by the client. */
export function isClientSearch(tool: unknown): boolean {
  return isJsonObject(tool) && tool.type === 'tool_search' && tool.execution === 'client';
}

/**
 * Returns the tools of a list, with the functions of namespaces in their place under flat names. Apart from
 * `name` and `defer_loading`, they keep the client's text. A search that the client runs becomes a function;
 * one that the provider would run is dropped.
 */
export function flattenTools({ text, value }: WrittenList, names: FlatNames): FlatTool[] {
  if (!Array.isArray(value)) return [];
  const places = elementsOf(text, 0);
  return (value as readonly unknown[]).flatMap((tool, at): FlatTool[] => {
    const own = textOf(text, places[at]!);
    if (isClientSearch(tool)) return [searchFunction(tool as JsonObject, own, names)];
    if (isJsonObject(tool) && tool.type === 'tool_search') return [];
    if (!isNamespace(tool)) return [plainTool(tool, own, undefined)];
    const inner = memberSpan(own, 0, 'tools');
    if (inner === undefined || !Array.isArray(tool.tools)) return [];
    const within = elementsOf(own, inner.start);
    return (tool.tools as readonly unknown[]).flatMap((one, place) => {
      const name = isJsonObject(one) ? textOrNone(one.name) : undefined;
      if (name === undefined) return [];
      const flat = names.flatten({ namespace: tool.name, name });
      return [plainTool(one, textOf(own, within[place]!), flat)];
    });
  });
}

function plainTool(tool: unknown, text: string, flat: string | undefined): FlatTool {
  if (!isJsonObject(tool)) return { name: undefined, text, isDeferred: false };
  const changes = {
    ...(flat !== undefined && { name: JSON.stringify(flat) }),
    ...('defer_loading' in tool && { defer_loading: undefined }),
  };
  const isSame = Object.keys(changes).length === 0;
  return {
    name: flat ?? textOrNone(tool.name),
    text: isSame ? text : withMembers(text, changes),
    isDeferred: tool.defer_loading === true,
  };
}

/**
 * Returns the function for a client's search. It is not `strict`: a schema for the vendor's own search need
 * not meet the rules for strict functions.
 */
function searchFunction({ description }: JsonObject, text: string, names: FlatNames): FlatTool {
  const says =
    textOrNone(description) ?? 'Searches for tools, and loads what it finds so that it can be called.';
  const parameters = memberOf(text, 'parameters') ?? JSON.stringify(SEARCH_PARAMETERS);
  const start = `{"type":"function","name":${JSON.stringify(names.search)}`;
  return {
    name: names.search,
    text: `${start},"description":${JSON.stringify(says)},"parameters":${parameters},"strict":false}`,
    isDeferred: false,
  };
}

/** Returns a `tool_choice` with the same tools under their flat names, as JSON; undefined when it stays. */
export function flattenChoice(
  choice: unknown,
  names: FlatNames,
  isLone: (name: string) => boolean,
): string | undefined {
  if (!isJsonObject(choice)) return undefined;
  const isList = choice.type === 'allowed_tools';
  const named = isList ? objectsIn(choice.tools) : [choice];
  const flat = named.map((tool) => flattenNamed(tool, names, isLone));
  if (flat.every((tools) => tools === undefined)) return undefined;
  const tools = flat.flatMap((one, at) => one ?? [named[at]!]);
  if (isList) return JSON.stringify({ ...choice, tools });
  return JSON.stringify(tools.length === 1 ? tools[0] : { type: 'allowed_tools', mode: 'required', tools });
}

/** Returns the tools that one entry of a choice names; undefined when their names stay. */
function flattenNamed(
  tool: JsonObject,
  names: FlatNames,
  isLone: (name: string) => boolean,
): JsonObject[] | undefined {
  const { type, namespace, ...rest } = tool;
  if (type === 'tool_search') return [{ type: 'function', name: names.search }];
  const name = textOrNone(tool.name);
  if (name === undefined) return undefined;
  if (type === 'namespace') {
    const within = names.within(name);
    return within.length === 0 ? undefined : within.map((flat) => ({ type: 'function', name: flat }));
  }
  const own = textOrNone(namespace);
  if (own !== undefined) {
    const isPlain = own === name && isLone(name);
    return [{ type, ...rest, name: isPlain ? name : names.flatten({ namespace: own, name }) }];
  }
  const [only, ...others] = isLone(name) ? [] : names.called(name);
  return only !== undefined && others.length === 0 ? [{ type, ...rest, name: only }] : undefined;
}

/** A function in a namespace. */
export interface QualifiedName {
  readonly namespace: string;
  readonly name: string;
}

/** The longest name of a function. Source: https://platform.openai.com/docs/api-reference/responses/create (tools). */
const MAX_CHARS = 64;

/** The number of hash characters in the replacement of a name that is too long or already taken. */
const HASH_CHARS = 8;

/**
 * Names without namespaces for the functions of one request: `namespace__name`, if that is valid and not
 * taken.
 *
 * Names are given in the order of the calls, and depend on the namespace, the name and the names given
 * before. The client's own names stay unchanged.
 */
export class FlatNames {
  readonly #own: ReadonlySet<string>;
  readonly #flat = new Map<string, string>();
  readonly #qualified = new Map<string, QualifiedName>();
  #search: string | undefined;

  /** @param own names that the client declared outside all namespaces. */
  constructor(own: ReadonlySet<string>) {
    this.#own = own;
  }

  /** The name of the function with which the model searches for tools. */
  get search(): string {
    this.#search ??= this.#free('tool_search', 'tool_search');
    return this.#search;
  }

  /** Whether a name is that of the search; false until `search` has been read. */
  isSearch(name: unknown): boolean {
    return this.#search !== undefined && name === this.#search;
  }

  /** Returns the flat name of a function in a namespace; the same each time. */
  flatten({ namespace, name }: QualifiedName): string {
    const key = JSON.stringify([namespace, name]);
    const known = this.#flat.get(key);
    if (known !== undefined) return known;
    const flat = this.#free(`${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`, key);
    this.#flat.set(key, flat);
    this.#qualified.set(flat, { namespace, name });
    return flat;
  }

  /** Returns the function with a flat name; undefined for a name of another origin. */
  qualify(flat: string): QualifiedName | undefined {
    return this.#qualified.get(flat);
  }

  /** Returns the flat names of a namespace so far, in order. */
  within(namespace: string): string[] {
    return [...this.#qualified].flatMap(([flat, one]) => (one.namespace === namespace ? flat : []));
  }

  /** Returns the flat names of the functions with this name in any namespace. */
  called(name: string): string[] {
    return [...this.#qualified].flatMap(([flat, one]) => (one.name === name ? flat : []));
  }

  #free(wanted: string, key: string): string {
    const plain = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    if (plain === wanted && plain.length <= MAX_CHARS && !this.#isTaken(plain)) return plain;
    const start = plain.slice(0, MAX_CHARS - HASH_CHARS - 1);
    for (let round = 0; ; round++) {
      const hash = hashText(`${round} ${key}`).slice(0, HASH_CHARS);
      const name = `${start}_${hash}`;
      if (!this.#isTaken(name)) return name;
    }
  }

  #isTaken(name: string): boolean {
    return this.#own.has(name) || this.#qualified.has(name) || name === this.#search;
  }
}
