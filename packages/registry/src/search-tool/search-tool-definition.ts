import { describeLoopSearch, type SearchSpelling, searchParameters } from '@winnow/core';
import type { JsonObject } from '../model/json.ts';
import type { SearchToolFormat } from './search-tool-format.ts';
import { writeDefinition } from './write-definition.ts';

/** The name by which models call the search tool. */
export const SEARCH_TOOL_NAME = 'tool_search_tool';

/** The default, smallest and largest number of results that a model can request. */
export const MAX_RESULTS = { default: 5, least: 1, most: 10 } as const;

/** Search types, the default first. */
export const SEARCH_TOOL_TYPES = ['semantic', 'keyword', 'regex'] as const;
export type SearchToolType = (typeof SEARCH_TOOL_TYPES)[number];

const QUERY = 'What the tool should do, in a few words, or a name or a part of one.';
const TYPE =
  'semantic: by what the words mean; keyword: by the words; regex: a regular expression over names and texts.';
const RESULTS = 'How many tools to return.';
const CATEGORY = 'Only tools of this category.';

/** Returns the spelling of the parameters: Spring AI's own search tool has other names and values. */
export function spellingOf(format: SearchToolFormat): SearchSpelling {
  return format === 'spring'
    ? { regex: 'searchType REGEX', filter: 'categoryFilter' }
    : { regex: 'search_type regex', filter: 'category_filter' };
}

/**
 * Writes the definition of the search tool in a provider's format.
 *
 * @param categories Categories to choose from; undefined when there are too many to list.
 */
export function searchToolDefinition(
  format: SearchToolFormat,
  categories: readonly string[] | undefined,
): JsonObject {
  const isSpring = format === 'spring';
  const spell = (text: string) => (isSpring ? text.toUpperCase() : text);
  const { default: count, least: minimum, most: maximum } = MAX_RESULTS;
  const { regex, filter } = spellingOf(format);
  const parameters = searchParameters(
    {
      [isSpring ? 'searchType' : 'search_type']: {
        type: 'string',
        enum: SEARCH_TOOL_TYPES.map(spell),
        default: spell(SEARCH_TOOL_TYPES[0]),
        description: TYPE.replace(/\b(semantic|keyword|regex):/g, spell),
      },
      [isSpring ? 'maxResults' : 'max_results']: {
        type: 'integer',
        ...(!isSpring && { minimum, maximum }),
        default: count,
        description: RESULTS,
      },
      [filter]: { type: 'string', ...oneOf(categories), description: CATEGORY },
    },
    QUERY,
  );
  return writeDefinition(
    { name: SEARCH_TOOL_NAME, description: describeLoopSearch(regex), parameters },
    format,
  );
}

function oneOf(categories: readonly string[] | undefined): { enum?: readonly string[] } {
  // An empty enum would allow no value.
  return categories === undefined || categories.length === 0 ? {} : { enum: categories };
}
