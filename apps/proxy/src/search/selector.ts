import type { SelectorClient } from '@winnow/selector-client';
import type { Search } from './search.ts';

/** What is asked of the selector beside the query. */
export interface SelectorSearchOptions {
  /** Most names to find. */
  readonly limit: number;
  /** Names that must be found if they are there. */
  readonly alwaysKeep: readonly string[];
}

/** Searches by asking a selector. Its log and its spans name the exchange that asked. */
export function selectorSearch(client: SelectorClient, options: SelectorSearchOptions): Search {
  return async ({ query, searchable, requestId, span, signal, searchType, limit = options.limit }) => {
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({ ...options, query, searchable, headers, signal, limit, searchType });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  };
}
