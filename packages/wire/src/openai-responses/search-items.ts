import type { Plan, RequestView, SearchCall, ToolCall, ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { calledName, isFunctionCall } from './read-items.ts';

/** Classifies the items of one exchange. */
export interface ItemKinds {
  /** Whether some item may be a search. */
  readonly maySearch: boolean;
  /** Whether an item is a search for Winnow. */
  readonly isSearch: (item: JsonObject) => boolean;
  /** Reads a search, given as a call. */
  readonly readSearch: (call: ToolCall, item: JsonObject) => SearchCall;
  /** Whether the client's side has to answer an item. */
  readonly isForClient: (item: JsonObject, others: readonly JsonObject[]) => boolean;
  /** Whether the client has declared a function of this name outside all namespaces. */
  readonly isLone: (name: string) => boolean;
}

/**
 * Returns the kinds of items in responses to a request.
 *
 * A search is a call of the search tool or, in native mode, of the vendor's own tool search with execution by
 * the client. A client with its own tool search is left alone.
 */
export function itemKinds({ toolSection }: RequestView, plan: Plan): ItemKinds {
  const { loadMode, searchTool } = plan;
  const hidden = hiddenNames(plan);
  const { lone, custom } = toolSection === undefined ? NO_NAMES : namesIn(toolSection);
  return {
    maySearch: !hidden.isEmpty,
    isSearch: (item) => {
      if (hidden.isEmpty) return false;
      if (item.type === 'tool_search_call') {
        return searchTool !== undefined && loadMode === 'native' && item.execution === 'client';
      }
      // Some servers leave its id out.
      return item.type === 'function_call' && hidden.has(calledName(item)) && isDirect(item);
    },
    readSearch: (call, item) => hidden.readCall(call, item.arguments),
    isForClient: (item, others) => {
      if (isFunctionCall(item)) return isDirect(item);
      // Some providers run their own tools, whose calls look like calls for the client.
      if (item.type === 'custom_tool_call') return custom.has(String(item.name));
      return CLIENT_RUN.has(item.type) && !others.some((other) => isOutputOf(other, item));
    },
    isLone: (name) => lone.has(name),
  };
}

/** Returns the names declared outside all namespaces: those of functions, and all others. */
const namesIn = rememberBy(({ lists: [outer], entries }: ToolSection) => {
  const own = entries.filter(({ list }) => list === outer);
  const namesOf = (wanted: ToolEntry['kind']): ReadonlySet<string> =>
    new Set(own.flatMap(({ kind, name }) => (kind === wanted ? (name ?? []) : [])));
  return { lone: namesOf('function'), custom: namesOf('other') };
});

const NO_NAMES = { lone: new Set<string>(), custom: new Set<string>() };

/** Calls that the client answers, unless the provider has. */
const CLIENT_RUN: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

function isOutputOf(other: JsonObject, { call_id: id }: JsonObject): boolean {
  return id !== undefined && other.call_id === id && String(other.type).endsWith('_output');
}

/** Whether the model itself calls, not one of its programs. */
export function isDirect({ caller }: JsonObject): boolean {
  return !isJsonObject(caller) || caller.type === 'direct';
}
