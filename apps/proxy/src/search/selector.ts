import type { SelectorClient } from '@winnow/selector-client';
import type { Search } from './search.ts';

/** Creates a search by a selector, whose log and spans carry the exchange's id. */
export function selectorSearch(client: SelectorClient): Search {
  return async ({ query, searchable, requestId, span, signal, searchType, limit }) => {
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({ query, searchable, headers, signal, limit, alwaysKeep: [], searchType });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  };
}
