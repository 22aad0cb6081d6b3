import type { SearchRecord } from '@winnow/contract';
import type { Span } from '@winnow/tracing';
import type { Plan, RequestView } from '@winnow/wire';
import { resolveSearches } from '../phantom/resolve-searches.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import { STRATEGIES } from '../strategies/index.ts';

/** What a search beside a request takes. */
export interface SearchBesideContext extends Pick<ProxyContext, 'settings' | 'searches'> {
  readonly requestId: string;
  /** The exchange in a trace. */
  readonly span: Span;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

/**
 * Searches the deferred tools for the last user message, as if the model had, and gives the search's record; undefined for a strategy
 * without searches. Never rejects.
 */
export async function searchBeside(
  view: RequestView,
  plan: Plan,
  { settings, searches, requestId, span, now }: SearchBesideContext,
): Promise<SearchRecord | undefined> {
  const answeredBy = STRATEGIES[settings['pipes.tool_discovery.strategy']].search;
  if (!answeredBy) return undefined;
  const call = { id: '', name: settings['pipes.tool_discovery.search_tool_name'], query: view.query };
  const { records } = await resolveSearches([call], {
    search: searches[answeredBy],
    searchable: toSearchable(view, plan.defer),
    hadNoMatch: false,
    isLimit: false,
    withQueryText: settings['records.query_text'],
    requestId,
    span,
    now,
    // Nobody waits who could leave.
    signal: new AbortController().signal,
  });
  return records[0];
}
