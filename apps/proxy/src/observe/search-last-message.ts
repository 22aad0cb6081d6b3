import type { SearchRecord } from '@winnow/core';
import type { Span } from '@winnow/service';
import type { Plan, RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { resolveSearches } from '../search/resolve-searches.ts';
import type { Searches } from '../search/search.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';

export interface SearchLastMessageContext {
  readonly settings: Settings;
  readonly searches: Searches;
  readonly strategy: ReadyStrategy;
  readonly requestId: string;
  /** The span of the exchange. */
  readonly span: Span;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Searches the deferred tools for the last user message, as if the model had, and returns the search's
 * record; undefined for a strategy without searches. Never rejects.
 */
export async function searchLastMessage(
  view: RequestView,
  plan: Plan,
  { settings, searches, strategy, requestId, span, now }: SearchLastMessageContext,
): Promise<SearchRecord | undefined> {
  if (!strategy.search) return undefined;
  const call = { id: '', name: settings['tools.search_tool_name'], query: view.query };
  const { records } = await resolveSearches([call], {
    search: searches[strategy.search],
    searchable: toSearchable(view, plan.defer),
    limit: settings['tools.max_search_results'],
    isLimit: false,
    withQueryText: settings['records.query_text'],
    requestId,
    span,
    now,
    // There is no client that could leave.
    signal: new AbortController().signal,
  });
  return records[0];
}
