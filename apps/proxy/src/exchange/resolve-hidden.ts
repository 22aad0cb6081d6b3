import { isRefused, readOwnCall, refuseCall, type SearchCall, type SearchResult } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { type Resolution, resolveSearches } from '../search/resolve-searches.ts';
import type { Searches } from '../search/search.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import type { SearchLoop } from './loop-input.ts';

/** The exchange whose hidden calls are resolved. */
type HiddenCalls = Pick<SearchLoop, 'exchange' | 'view' | 'plan'>;

/** Context for resolving. */
export interface ResolveContext {
  readonly settings: Settings;
  readonly searches: Searches;
  readonly strategy: ReadyStrategy;
  readonly effects: Pick<ExchangeEffects, 'now'>;
}

/** Returns a function that resolves the hidden calls of one turn: searches, and calls that cannot work. */
export function resolveHidden(edited: HiddenCalls, context: ResolveContext): SearchLoop['resolve'] {
  const { exchange, view, plan } = edited;
  return async (turn, isLimit) => {
    const calls = turn.searches.map((call) => readOwnCall(plan, call));
    const refused = refuseCalls(calls, edited);
    const resolution = await resolveSearches(
      calls.filter((call) => !isRefused(plan, call)),
      {
        isLimit,
        search: context.searches[context.strategy.search ?? 'local'],
        searchable: toSearchable(view, plan.defer),
        limit: context.settings['tools.max_search_results'],
        findsExactNames: plan.loadMode === 'bridge',
        withQueryText: context.settings['records.query_text'],
        requestId: exchange.head.requestId,
        span: exchange.span,
        now: context.effects.now,
        signal: exchange.signal.toAbortSignal(),
      },
    );
    return inOrder(calls, refused, resolution);
  };
}

/** Answers calls of the bridge tool that cannot work. */
function refuseCalls(
  calls: readonly SearchCall[],
  { exchange, view, plan }: HiddenCalls,
): readonly SearchResult[] {
  const { bridge } = exchange.format.capabilities;
  if (bridge === undefined) return [];
  return calls.flatMap((call) => (isRefused(plan, call) ? [refuseCall(view, plan, call, bridge)] : []));
}

/** Merges both kinds of results in the order of the calls. */
function inOrder(
  calls: readonly SearchCall[],
  refused: readonly SearchResult[],
  resolution: Resolution,
): Resolution {
  if (refused.length === 0) return resolution;
  const byId = new Map([...refused, ...resolution.results].map((result) => [result.callId, result]));
  return { ...resolution, results: calls.flatMap(({ id }) => byId.get(id) ?? []) };
}
