import type { SelectorClient } from '@winnow/clients';
import type { Search } from './search.ts';

/** Creates a search by a selector, whose log and spans carry the exchange's id. */
export function selectorSearch(client: SelectorClient): Search {
  return async (request) => {
    const { query, searchable, requestId, span, signal, searchType, limit } = request;
    const headers = { 'x-request-id': requestId, ...span.headers };
    const outcome = await client({
      query,
      searchable,
      headers,
      signal,
      limit,
      alwaysKeep: [],
      searchType,
    });
    span.set({ 'http.response.status_code': outcome.status });
    return outcome;
  };
}
