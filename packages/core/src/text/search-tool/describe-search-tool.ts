import { listGroups } from './list-groups.ts';

/**
 * The search tool that stands in a request in place of deferred tools: its name, how to call it, and what it can find.
 *
 * Equal for the same set of names in any order, so that the prompt's prefix stays as it is while tools are loaded. It has no
 * numbers, which would change with every tool that a client adds or removes. The groups are those of `listGroups`.
 *
 * @param asking sentences on searching; by words or a name by default.
 */
export function describeSearchTool(
  name: string,
  deferredNames: readonly string[],
  asking = ASKING,
): { readonly name: string; readonly description: string } {
  const description = [
    `${FINDS}.`,
    `${SEARCH_FIRST} with the tools shown.`,
    asking,
    'Found tools can be called directly.',
    `What can be found: ${listGroups([...new Set(deferredNames)].sort())}.`,
  ].join(' ');
  return { name, description };
}

/** The description of the front door's search. `calls` says how the tools that it finds are called. */
export function describeDoorSearch(calls: string): string {
  return `${FINDS}. ${SEARCH_FIRST} with the tools shown. ${ASKING} Gives names, what they do and their parameters. ${calls}`;
}

/** The description of the search tool that applications with a loop of their own give to models. `regex` says how to search by a pattern. */
export function describeLoopSearch(regex: string): string {
  return [
    'Searches the tools that are available but not shown, by their names, descriptions, parameters and categories.',
    'It returns references to the tools that fit best; their full definitions are added to your tools, and you can then call them.',
    `${SEARCH_FIRST}. Ask at once for all that the task still needs.`,
    `Example queries: "create a ticket in Jira", "send a Slack message to a channel", "list open pull requests", "github_.*_issue" with ${regex}.`,
  ].join(' ');
}

const FINDS = 'Finds tools that are available but not shown';
const SEARCH_FIRST = 'Search before you conclude that something cannot be done';
const ASKING =
  'Ask at once for all that the task still needs, a short phrase each: verb and object ("create an issue"); if unsure, also in other words; if a group is meant, also beginning with its name; in English if the tools are.';

const QUERIES = 'One to four phrases.';

/** The parameters of a search tool as JSON Schema: the queries, which are required, and others. */
export function searchParameters<More extends object>(more: More, queries = QUERIES) {
  return {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' }, description: queries }, ...more },
    required: ['queries'],
  } as const;
}

/** Parameters with the queries alone, which every format takes. */
export const SEARCH_PARAMETERS = { ...searchParameters({}), additionalProperties: false } as const;
