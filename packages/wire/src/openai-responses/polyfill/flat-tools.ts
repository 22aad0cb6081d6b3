import { SEARCH_PARAMETERS } from '@winnow/core';
import { memberOf, withMembers } from '../../json/json-members.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  textOf,
  textOrNone,
} from '../../json/json-splice.ts';
import { isNamespace } from '../read-tools.ts';
import type { FlatNames } from './flat-names.ts';

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
