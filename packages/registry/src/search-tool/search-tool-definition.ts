import {
  describeLoopSearch,
  parseJson,
  readQueries,
  type SearchSpelling,
  SearchToolFormatName,
  searchParameters,
  usualFound,
} from '@winnow/core';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { type Outcome, refuse } from '../problem.ts';

/** The name by which models call the search tool. */
export const SEARCH_TOOL_NAME = 'tool_search_tool';

/** The default for one query, and the smallest and largest number of results that a model can request. */
export const MAX_RESULTS = { default: 5, least: 1, most: 10 } as const;

/** Search types, the default first. */
export const SEARCH_TOOL_TYPES = ['semantic', 'keyword', 'regex'] as const;
export type SearchToolType = (typeof SEARCH_TOOL_TYPES)[number];

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
  const parameters = searchParameters({
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
  });
  return writeDefinition(
    { name: SEARCH_TOOL_NAME, description: describeLoopSearch(regex), parameters },
    format,
  );
}

function oneOf(categories: readonly string[] | undefined): { enum?: readonly string[] } {
  // An empty enum would allow no value.
  return categories === undefined || categories.length === 0 ? {} : { enum: categories };
}

/** Formats of tool definitions. Servers compatible with OpenAI Chat use the first one. */
export const SEARCH_TOOL_FORMATS = SearchToolFormatName.options;

export type SearchToolFormat = (typeof SEARCH_TOOL_FORMATS)[number];

/** The parts of a tool definition that all providers share. */
interface PlainDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly parameters: JsonObject;
}

/**
 * Writes the definition of a tool in the format of a provider's API.
 *
 * Sources: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools,
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools,
 * https://docs.claude.com/en/api/messages#body-tools,
 * https://ai.google.dev/api/caching#FunctionDeclaration,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html,
 * https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
 */
export function writeDefinition(
  { name, description, parameters }: PlainDefinition,
  format: SearchToolFormat,
): JsonObject {
  switch (format) {
    case 'openai-chat':
      return { type: 'function', function: { name, description, parameters } };
    case 'openai-responses':
      // The default is strict, which supports only a subset of JSON Schema.
      return { type: 'function', name, description, parameters, strict: false };
    case 'anthropic':
      return { name, description, input_schema: parameters };
    case 'gemini':
      return { name, description, parametersJsonSchema: parameters };
    case 'bedrock':
      return { toolSpec: { name, description, inputSchema: { json: parameters } } };
    case 'mcp':
    case 'spring':
      return { name, description, inputSchema: parameters };
  }
}

/** Arguments of a search-tool call. */
interface SearchToolArguments {
  readonly queries: readonly string[];
  readonly searchType: SearchToolType;
  readonly maxResults: number;
  readonly categoryFilter: string | undefined;
  /** Parameters with unusable values, which were ignored. */
  readonly ignored: readonly string[];
}

/**
 * Reads the arguments of a search-tool call as a model wrote them: an object or its JSON text, in the spelling of any
 * provider's definition, or the queries alone. Numbers may be texts and are clamped to their range; an unknown type counts as missing. Only
 * a query is required.
 */
export function readSearchArguments(written: unknown): Outcome<{ arguments: SearchToolArguments }> {
  const value = objectOf(written);
  if (value === undefined) {
    return refuse(
      'invalid_request',
      'The arguments must be an object, or the JSON text of one.',
      'arguments',
    );
  }
  const queries = readQueries(value, OTHERS);
  // A blank query lists the tools.
  if (queries.length === 0 && value.query !== '') {
    return refuse('invalid_request', 'The search tool needs a query.', 'arguments.queries');
  }
  const ignored: string[] = [];
  const searchType = readType(value.search_type ?? value.searchType, ignored);
  const maxResults = readCount(
    value.max_results ?? value.maxResults,
    Math.min(usualFound(queries.length), MAX_RESULTS.most),
    ignored,
  );
  const category = value.category_filter ?? value.categoryFilter;
  const categoryFilter = typeof category === 'string' && category.trim() !== '' ? category.trim() : undefined;
  if (category !== undefined && category !== null && category !== '' && categoryFilter === undefined) {
    ignored.push('category_filter');
  }
  return { ok: true, arguments: { queries, searchType, maxResults, categoryFilter, ignored } };
}

/** Returns the arguments as an object: a list, or a text that is no JSON, is the queries. */
function objectOf(written: unknown): JsonObject | undefined {
  let value = written;
  if (typeof written === 'string') {
    value = parseJson(written) ?? (/^\s*([[{"]|$)/.test(written) ? undefined : written);
  }
  if (value === undefined || value === null) return undefined;
  return isJsonObject(value) ? value : { queries: value as Json };
}

/** Parameters besides the queries, in all spellings. */
const OTHERS = [
  'search_type',
  'searchType',
  'max_results',
  'maxResults',
  'category_filter',
  'categoryFilter',
];

function readType(value: unknown, ignored: string[]): SearchToolType {
  if (value === undefined || value === null) return SEARCH_TOOL_TYPES[0];
  const wanted = String(value).toLowerCase();
  const known = SEARCH_TOOL_TYPES.find((type) => type === wanted);
  if (known === undefined) ignored.push('search_type');
  return known ?? SEARCH_TOOL_TYPES[0];
}

function readCount(value: unknown, usual: number, ignored: string[]): number {
  if (value === undefined || value === null) return usual;
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isNaN(count) || value === '') {
    ignored.push('max_results');
    return usual;
  }
  return Math.min(MAX_RESULTS.most, Math.max(MAX_RESULTS.least, Math.round(count)));
}
