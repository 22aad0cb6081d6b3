import type { SpanKind } from '@winnow/service';
import { outcomeName, type Search } from './search.ts';

/** Wraps a search with a child span of the exchange; the span records only the length of the query. */
export function tracedSearch(search: Search, kind: SpanKind): Search {
  return async (request) => {
    const span = request.span.startChild('search', kind, {
      'winnow.search.tools': request.searchable.tools.length,
      'winnow.search.query_chars': request.query.length,
    });
    try {
      const outcome = await search({ ...request, span });
      span.set({
        'winnow.search.outcome': outcomeName(outcome),
        'winnow.search.found': outcome.ok ? outcome.names.length : 0,
      });
      if (!outcome.ok && !BLAMELESS.includes(outcome.reason)) span.fail(outcome.reason);
      return outcome;
    } finally {
      span.end();
    }
  };
}

/** Failures caused by the model or the client. */
const BLAMELESS: readonly string[] = ['empty_query', 'client_gone'];
