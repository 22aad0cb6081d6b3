import type { SelectorClient } from '@winnow/selector-client';
import type { Search } from './search.ts';

/** Options of a selector's search. */
export interface SelectorSearchOptions {
  /** Maximum number of names to find. */
  readonly limit: number;
  /** Names that must be found if they exist. */
  readonly alwaysKeep: readonly string[];
}

/** Creates a search by a selector, whose log and spans carry the exchange's id. */
export function selectorSearch(client: SelectorClient, options: SelectorSearchOptions): Search {
  return async ({ query, searchable, requestId, span, signal, searchType, limit = options.limit }) => {
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({ ...options, query, searchable, headers, signal, limit, searchType });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  };
}
