import type { JsonObject } from '../model/json.ts';
import type { SearchToolFormat } from './search-tool-format.ts';
import { writeDefinition } from './write-definition.ts';

/** The name by which models call the search tool. */
export const SEARCH_TOOL_NAME = 'tool_search_tool';

/** How many tools a model gets when it does not say, and the fewest and most that it can ask for. */
export const MAX_RESULTS = { default: 5, least: 1, most: 10 } as const;

/** The ways to search, the default first. */
export const SEARCH_TOOL_TYPES = ['semantic', 'keyword', 'regex'] as const;
export type SearchToolType = (typeof SEARCH_TOOL_TYPES)[number];

const DESCRIPTION = [
  'Searches the tools that are available but not shown, by their names, descriptions, parameters and categories.',
  'It returns references to the tools that fit best; their full definitions are added to your tools, and you can then call them.',
  'Search before you conclude that something cannot be done.',
  'Example queries: "create a ticket in Jira", "send a Slack message to a channel", "list open pull requests", "github_.*_issue" with search_type regex.',
].join(' ');

const QUERY = 'What the tool should do, in a few words, or a name or a part of one.';
const TYPE =
  'semantic: by what the words mean; keyword: by the words; regex: a regular expression over names and texts.';
const RESULTS = 'How many tools to return.';
const CATEGORY = 'Only tools of this category.';

/**
 * The definition of the search tool in a provider's shape.
 *
 * @param categories offered to choose from; undefined when there are too many to list.
 */
export function searchToolDefinition(
  format: SearchToolFormat,
  categories: readonly string[] | undefined,
): JsonObject {
  const parameters = format === 'spring' ? springParameters(categories) : plainParameters(categories);
  const description =
    format === 'spring' ? DESCRIPTION.replace('search_type regex', 'searchType REGEX') : DESCRIPTION;
  return writeDefinition({ name: SEARCH_TOOL_NAME, description, parameters }, format);
}

function plainParameters(categories: readonly string[] | undefined): JsonObject {
  const { default: count, least: minimum, most: maximum } = MAX_RESULTS;
  return {
    type: 'object',
    properties: {
      query: { type: 'string', description: QUERY },
      search_type: {
        type: 'string',
        enum: SEARCH_TOOL_TYPES,
        default: SEARCH_TOOL_TYPES[0],
        description: TYPE,
      },
      max_results: { type: 'integer', minimum, maximum, default: count, description: RESULTS },
      category_filter: { type: 'string', ...oneOf(categories), description: CATEGORY },
    },
    required: ['query'],
  };
}

/** The names and values of Spring AI's own search tool. */
function springParameters(categories: readonly string[] | undefined): JsonObject {
  const types = SEARCH_TOOL_TYPES.map((type) => type.toUpperCase());
  return {
    type: 'object',
    properties: {
      query: { type: 'string', description: QUERY },
      searchType: {
        type: 'string',
        enum: types,
        default: types[0]!,
        description: TYPE.replace(/\b(semantic|keyword|regex):/g, (name) => name.toUpperCase()),
      },
      maxResults: { type: 'integer', default: MAX_RESULTS.default, description: RESULTS },
      categoryFilter: { type: 'string', ...oneOf(categories), description: CATEGORY },
    },
    required: ['query'],
  };
}

function oneOf(categories: readonly string[] | undefined): { enum?: readonly string[] } {
  // An empty list of values allows none.
  return categories === undefined || categories.length === 0 ? {} : { enum: categories };
}
