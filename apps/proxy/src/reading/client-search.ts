import { rememberBy, type ToolEntry, type ToolSection } from '@winnow/wire';

/** Rules that decide which of a client's functions count as its tool search. */
export interface ClientSearchRules {
  /** Names that always count. */
  readonly clientSearchTools: readonly string[];
  /** Names that never count. */
  readonly neverClientSearch: readonly string[];
}

/** Names that clients give to their model's tool search. */
const SEARCH_NAMES: ReadonlySet<string> = new Set(['tool_search', 'ToolSearch', 'search_tools']);

/** Names of the function that calls the tools found. */
const CALL_NAMES: ReadonlySet<string> = new Set(['tool_call', 'call_tool', 'execute_tool']);

/**
 * Words in the description of a tool search; a tool that searches the web or a shop for tools does not speak
 * of loading them.
 */
const FINDS_TOOLS =
  /\b(?:find|finds|search|searches|discover|discovers|load|loads|fetch|fetches)\b[^.]{0,80}\btools?\b/i;

/**
 * Whether a client already defers tools and has its own search function. A second search would cost rounds and
 * hide the tools that the first has just shown.
 *
 * A name alone is not enough, because a shop may also have a `search_tools`: either a function that calls the
 * found tools must exist, or the description must describe a tool search.
 */
export const hasClientSearch = rememberBy(
  (
    { entries }: ToolSection,
    clientSearchTools: readonly string[],
    neverClientSearch: readonly string[],
  ): boolean => {
    const never = new Set(neverClientSearch);
    const always = new Set(clientSearchTools);
    const functions = entries.filter(({ kind, name }) => kind === 'function' && !never.has(name!));
    const hasCaller = functions.some(({ name }) => CALL_NAMES.has(name!));
    return functions.some((entry) => always.has(entry.name!) || isSearch(entry, hasCaller));
  },
);

function isSearch({ name, description }: ToolEntry, hasCaller: boolean): boolean {
  return SEARCH_NAMES.has(name!) && (hasCaller || FINDS_TOOLS.test(description.slice(0, 2_000)));
}
