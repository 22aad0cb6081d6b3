import { rememberBy, type ToolEntry, type ToolSection } from '@winnow/wire';

/** Which functions of a client's own count as its search for tools. */
export interface ClientSearchRules {
  /** Names that do, whatever else there is. */
  readonly clientSearchTools: readonly string[];
  /** Names that never do. */
  readonly neverClientSearch: readonly string[];
}

/** Names that clients give the function by which their model finds tools. */
const SEARCH_NAMES: ReadonlySet<string> = new Set(['tool_search', 'ToolSearch', 'search_tools']);

/** Names of the function by which it then calls what it has found. */
const CALL_NAMES: ReadonlySet<string> = new Set(['tool_call', 'call_tool', 'execute_tool']);

/** Words of a description of such a search; a tool that searches the web or a shop for tools does not speak of loading them. */
const FINDS_TOOLS =
  /\b(?:find|finds|search|searches|discover|discovers|load|loads|fetch|fetches)\b[^.]{0,80}\btools?\b/i;

/**
 * Whether a client already defers tools by itself, behind a search function of its own: to put another search before that one costs rounds, and
 * what the client's search has just shown would be hidden again.
 *
 * A name alone is not enough, as a shop has a `search_tools` too: a function that calls what was found must be there too, or its
 * description must say what it is.
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
