import type { HostedSearches, Past, RequestView, SearchCall } from '@winnow/wire';
import { resolveHosted } from '../search/resolve-hosted.ts';
import { NO_SEARCHES, type Resolution } from '../search/resolve-searches.ts';
import type { Searches } from '../search/search.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import { orOriginal, restoreOriginal } from './fall-back.ts';
import type { Ending } from './format-exchange.ts';
import { relay } from './forward-untouched.ts';
import { type LoopContext, loopBasics, type SearchLoop } from './loop-input.ts';
import { newlyLoaded } from './loop-progress.ts';
import type { SendableRequest } from './receive-request.ts';
import { runSearchLoop } from './search-loop.ts';

/** A request whose client leaves tool searches to the provider, on an upstream that runs none. */
export interface HostedExchange extends SendableRequest {
  readonly view: RequestView;
  readonly searches: HostedSearches;
}

/** Context for answering a hosted exchange. */
export interface HostedContext extends LoopContext {
  readonly searches: Searches;
  readonly strategy: ReadyStrategy;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Has the model answer such a request, and resolves its searches as the provider would. Stores nothing: the
 * client sends back the whole conversation.
 *
 * Passes an upstream's error on unchanged. If a response is unusable or the proxy has a defect, the original
 * bytes are sent, as long as the client has received nothing.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response. Rejects when the client leaves.
 */
export function answerHosted(hosted: HostedExchange, context: HostedContext): Promise<Ending> {
  return orOriginal(hosted, context.onDefect, async () => {
    const { exchange, searches, sender } = hosted;
    const { removedHeaders, plan } = searches;
    hosted.tell({ kind: 'left_alone', reason: 'polyfilled' });
    if (exchange.purpose !== 'answer' || plan.offered?.length === 0) {
      const body = searches.answering([]).editing.editRequest(hosted.view, plan, NOTHING_SAID);
      const response = await sender.sendPolyfilled({ body, removedHeaders });
      return relay(response, exchange);
    }
    const end = await runSearchLoop(await toLoop(hosted, context));
    if (end.kind === 'over') return end.ending;
    if (end.kind === 'failed') return restoreOriginal(hosted, end.because);
    return relay(end.response, exchange);
  });
}

const NOTHING_SAID: Past = { hiddenTurns: [], rounds: [] };

/** Builds the search loop, after resolving searches that the history left open. */
async function toLoop(hosted: HostedExchange, context: HostedContext): Promise<SearchLoop> {
  const { exchange, view, searches, sender, hold, tell } = hosted;
  const { plan, open, removedHeaders } = searches;
  const resolve = resolver(hosted, context);
  const early = open.length > 0 ? await resolve(open) : NO_SEARCHES;
  if (open.length > 0) {
    tell({ kind: 'searched', searches: early.records, newlyLoaded: newlyLoaded(plan, early) });
  }
  const load = early.isRestored ? plan.defer : early.found;
  return {
    ...loopBasics(exchange, context),
    exchange: { ...exchange, format: { ...exchange.format, ...searches.answering(early.results) } },
    plan: { ...plan, load: [...new Set([...plan.load, ...load])] },
    view,
    hold,
    // The client defers the tools here, so its savings do not count as the proxy's.
    tell: (fact) => (fact.kind === 'loaded' ? undefined : tell(fact)),
    hiddenTurns: [],
    session: NO_SESSION,
    sender: { sendEdited: (body) => sender.sendPolyfilled({ body, removedHeaders }) },
    onReferencesRefused: () => {},
    onChangeRefused: () => {},
    isBound: false,
    dropsThinking: false,
    resolve: ({ searches: calls }) => resolve(calls),
  };
}

/** A session that stores nothing: the client has received everything, and sends it back. */
const NO_SESSION: SearchLoop['session'] = {
  isShared: false,
  add: async () => ({ waitedMs: 0, errors: 0 }),
};

function resolver(
  { exchange, view, searches: { plan, queryOf } }: HostedExchange,
  { settings, searches, strategy, effects }: HostedContext,
): (calls: readonly SearchCall[]) => Promise<Resolution> {
  // The client loads what is found, so its number is the client's choice.
  const { id, tools } = toSearchable(view, plan.defer);
  return (calls) =>
    resolveHosted(
      calls.map((call) => ({ call, query: queryOf(call) })),
      {
        search: searches[strategy.search ?? 'local'],
        searchable: { id, tools },
        withQueryText: settings['records.query_text'],
        requestId: exchange.head.requestId,
        span: exchange.span,
        now: effects.now,
        signal: exchange.signal.toAbortSignal(),
      },
    );
}
