import { parseJson } from '@winnow/core';
import { isJsonObject } from '../model/json.ts';
import { type Outcome, refuse } from '../problem.ts';
import { MAX_RESULTS, SEARCH_TOOL_TYPES, type SearchToolType } from './search-tool-definition.ts';

/** Arguments of a search-tool call. */
export interface SearchToolArguments {
  readonly query: string;
  readonly searchType: SearchToolType;
  readonly maxResults: number;
  readonly categoryFilter: string | undefined;
  /** Parameters with unusable values, which were ignored. */
  readonly ignored: readonly string[];
}

/**
 * Reads the arguments of a search-tool call as a model wrote them: an object or its JSON text, in the spelling of any
 * provider's definition. Numbers may be texts and are clamped to their range; an unknown type counts as missing. Only
 * the query is required.
 */
export function readSearchArguments(written: unknown): Outcome<{ arguments: SearchToolArguments }> {
  const value = typeof written === 'string' ? parseJson(written) : written;
  if (!isJsonObject(value)) {
    return refuse(
      'invalid_request',
      'The arguments must be an object, or the JSON text of one.',
      'arguments',
    );
  }
  const { query } = value;
  if (typeof query !== 'string') {
    return refuse(
      'invalid_request',
      'The search tool needs a query, which must be a string.',
      'arguments.query',
    );
  }
  const ignored: string[] = [];
  const searchType = readType(value.search_type ?? value.searchType, ignored);
  const maxResults = readCount(value.max_results ?? value.maxResults, ignored);
  const category = value.category_filter ?? value.categoryFilter;
  const categoryFilter = typeof category === 'string' && category.trim() !== '' ? category.trim() : undefined;
  if (category !== undefined && category !== null && category !== '' && categoryFilter === undefined) {
    ignored.push('category_filter');
  }
  return { ok: true, arguments: { query, searchType, maxResults, categoryFilter, ignored } };
}

function readType(value: unknown, ignored: string[]): SearchToolType {
  if (value === undefined || value === null) return SEARCH_TOOL_TYPES[0];
  const wanted = String(value).toLowerCase();
  const known = SEARCH_TOOL_TYPES.find((type) => type === wanted);
  if (known === undefined) ignored.push('search_type');
  return known ?? SEARCH_TOOL_TYPES[0];
}

function readCount(value: unknown, ignored: string[]): number {
  if (value === undefined || value === null) return MAX_RESULTS.default;
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isNaN(count) || value === '') {
    ignored.push('max_results');
    return MAX_RESULTS.default;
  }
  return Math.min(MAX_RESULTS.most, Math.max(MAX_RESULTS.least, Math.round(count)));
}
