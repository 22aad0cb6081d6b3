import {
  isRefused,
  readOwnCall,
  refuseCall,
  type SearchCall,
  type SearchResult,
  type Turn,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { TOKEN_HEADER } from '../http/own-headers.ts';
import type { AppliedLearning } from '../learning/applied-learning.ts';
import { type AnsweredCalls, answerCalls } from '../offer/answer-calls.ts';
import type { OfferedRegistry } from '../offer/call-registry.ts';
import type { OwnWords } from '../search/own-words.ts';
import { type Resolution, resolveSearches } from '../search/resolve-searches.ts';
import type { Searches } from '../search/search.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import { learningRequest } from './learning-request.ts';
import type { SearchesSoFar, SearchLoop } from './loop-input.ts';

/** The exchange whose hidden calls are resolved. */
type HiddenCalls = Pick<SearchLoop, 'exchange' | 'view' | 'plan' | 'hold'>;

/** Context for resolving. */
export interface ResolveContext {
  readonly settings: Settings;
  readonly searches: Searches;
  readonly registry?: OfferedRegistry | undefined;
  readonly strategy: ReadyStrategy;
  /** Words of searches; undefined if they are neither recorded nor learned. */
  readonly ownWords?: OwnWords | undefined;
  /** Undefined if learning is not applied. */
  readonly learning?: AppliedLearning | undefined;
  readonly effects: Pick<ExchangeEffects, 'now'>;
}

/**
 * Returns a function that resolves the hidden calls of one turn in parallel: searches and calls of offered
 * tools.
 */
export function resolveHidden(edited: HiddenCalls, context: ResolveContext): SearchLoop['resolve'] {
  const { view, plan } = edited;
  const isOffered = ({ name }: SearchCall) => plan.offered?.includes(name) === true;
  const learned = context.learning?.wordsFor(learningRequest(edited.exchange, view)) ?? {};
  return async (turn: Turn, soFar) => {
    const searches = turn.searches.map((call) => readOwnCall(plan, call));
    const refused = refuseCalls(searches, edited);
    const [answered, resolution] = await Promise.all([
      answerOffered(searches.filter(isOffered), soFar, edited, context),
      resolveSearches(
        searches.filter((call) => !isOffered(call) && !isRefused(plan, call)),
        {
          ...soFar,
          search: context.searches[context.strategy.search ?? 'local'],
          searchable: toSearchable(view, plan.defer),
          limit: context.settings['tools.max_search_results'],
          findsExactNames: plan.loadMode === 'bridge',
          withQueryText: context.settings['records.query_text'],
          words: context.ownWords && { own: context.ownWords, learned },
          ...surroundings(edited, context),
        },
      ),
    ]);
    return inOrder(searches, { ...answered, results: [...answered.results, ...refused] }, resolution);
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

function answerOffered(
  calls: readonly SearchCall[],
  { isOver, results }: SearchesSoFar,
  edited: HiddenCalls,
  context: ResolveContext,
): Promise<AnsweredCalls> | AnsweredCalls {
  const { registry } = context;
  if (calls.length === 0 || registry === undefined) return NOTHING;
  const own = edited.exchange.request.headers[TOKEN_HEADER]?.toString();
  return answerCalls(calls, {
    client: registry.call,
    // A request with its own token never falls back to the operator's.
    token: own ?? registry.token,
    earlier: results,
    isLimit: isOver,
    take: (bytes) => edited.hold.take(bytes),
    ...surroundings(edited, context),
  });
}

const NOTHING: AnsweredCalls = { results: [], records: [] };

function surroundings({ exchange }: HiddenCalls, { effects }: ResolveContext) {
  return {
    requestId: exchange.head.requestId,
    span: exchange.span,
    now: effects.now,
    signal: exchange.signal.toAbortSignal(),
  };
}

/** Merges both kinds of results in the order of the calls. */
function inOrder(calls: readonly SearchCall[], answered: AnsweredCalls, resolution: Resolution): Resolution {
  if (answered.results.length === 0) return resolution;
  const byId = new Map([...answered.results, ...resolution.results].map((result) => [result.callId, result]));
  return {
    ...resolution,
    results: calls.flatMap(({ id }) => byId.get(id) ?? []),
    ...(answered.records.length > 0 && { calls: answered.records }),
  };
}
