import type { Plan, RequestView, SearchCall, ToolCall, ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { calledName, isFunctionCall } from './read-items.ts';

/** What tells the items of one exchange apart. */
export interface ItemKinds {
  /** Whether an item is a search of ours. */
  readonly isSearch: (item: JsonObject) => boolean;
  /** A search, given as a call, as it is to be answered. */
  readonly readSearch: (call: ToolCall, item: JsonObject) => SearchCall;
  /** Whether somebody at the client's has to answer an item. */
  readonly isForClient: (item: JsonObject, others: readonly JsonObject[]) => boolean;
  /** Whether the client has declared a function of this name outside of all namespaces. */
  readonly isLone: (name: string) => boolean;
}

/**
 * The kinds of items in responses to a request.
 *
 * A search is a call of the search tool, or, natively, one by the vendor's own tool search that the client is to run: a client that has one
 * of its own is left alone.
 */
export function itemKinds({ toolSection }: RequestView, plan: Plan): ItemKinds {
  const { loadMode, searchTool } = plan;
  const hidden = hiddenNames(plan);
  const { lone, custom } = toolSection === undefined ? NO_NAMES : namesIn(toolSection);
  return {
    isSearch: (item) => {
      if (hidden.isEmpty) return false;
      if (item.type === 'tool_search_call') {
        return searchTool !== undefined && loadMode === 'native' && item.execution === 'client';
      }
      return isFunctionCall(item) && hidden.has(calledName(item)) && isDirect(item);
    },
    readSearch: (call, item) => hidden.readCall(call, item.arguments),
    isForClient: (item, others) => {
      if (isFunctionCall(item)) return isDirect(item);
      // Some providers run tools of their own that look like a client's.
      if (item.type === 'custom_tool_call') return custom.has(String(item.name));
      return CLIENT_RUN.has(item.type) && !others.some((other) => isOutputOf(other, item));
    },
    isLone: (name) => lone.has(name),
  };
}

/** Names that are declared outside of all namespaces: of functions, and of anything else. */
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

/** Whether the model itself calls, and none of its programs. */
export function isDirect({ caller }: JsonObject): boolean {
  return !isJsonObject(caller) || caller.type === 'direct';
}
