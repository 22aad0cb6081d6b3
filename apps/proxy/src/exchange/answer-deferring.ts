import {
  framingFor,
  HiddenNames,
  type HostedSearches,
  type Past,
  type Polyfilled,
  type RequestView,
  type ResponseRewriter,
  RewritingJoiner,
  type SearchCall,
} from '@winnow/wire';
import { NO_SEARCHES, type Resolution, resolveHosted } from '../search/resolve-searches.ts';
import { type Searches, toSearchable } from '../search/search.ts';
import { keepIn } from '../sessions/request-memory.ts';
import { bypass } from '../strategies/bypass.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import { headerValue } from '../upstream/headers.ts';
import { isGood } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { ClientResponse } from './client-response.ts';
import type { Ending } from './exchange.ts';
import { orOriginal, restoreOriginal } from './fall-back.ts';
import { relay } from './forward-untouched.ts';
import { type LoopContext, loopBasics, type SearchLoop } from './loop-progress.ts';
import type { SendableRequest } from './receive-request.ts';
import { relayRound } from './relay-round.ts';
import { runSearchLoop } from './search-loop.ts';

/** A request of a client that defers tools itself, rewritten for an upstream that cannot. */
export interface PolyfilledExchange extends Omit<SendableRequest, 'body'> {
  readonly view: RequestView;
  readonly polyfilled: Polyfilled;
}

/** Context for answering a polyfilled exchange. */
type AnswerContext = Pick<LoopContext, 'settings' | 'effects'>;

/**
 * Sends a rewritten request, and gives the client the response that an upstream with deferral would give.
 * Passes errors of the upstream on unchanged: it would refuse the original as well.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response. Rejects when the client leaves.
 */
export async function answerPolyfilled(
  polyfilledExchange: PolyfilledExchange,
  context: AnswerContext,
): Promise<Ending> {
  const { exchange, polyfilled, sender } = polyfilledExchange;
  const response = await sender.sendPolyfilled(polyfilled);
  if (isGood(response) && polyfilled.rewriter !== undefined) {
    return relayRewritten(response, polyfilled.rewriter, polyfilledExchange, context);
  }
  return relay(response, exchange);
}

async function relayRewritten(
  response: UpstreamResponse,
  createRewriter: () => ResponseRewriter,
  { exchange, view, hold, tell }: PolyfilledExchange,
  { settings, effects }: AnswerContext,
): Promise<Ending> {
  const { format, signal } = exchange;
  const keep = keepIn(hold);
  const client = new ClientResponse(exchange, keep);
  const joiner = new RewritingJoiner(
    format.joining.joinResponses(view, bypass('polyfilled'), keep),
    createRewriter,
  );
  const framing = framingFor(format, view, headerValue(response.headers, 'content-type'));
  client.takeHead(response, framing);
  // A model may think for minutes before its first event; the head of the stream must not wait for it.
  if (framing.isStream) client.beat(undefined, true);
  const room = {
    hold,
    limitBytes: settings['server.max_body'],
    hidden: new HiddenNames(settings['tools.search_tool_name']),
    shape: framing.isStream ? 'stream' : 'whole',
    mayPassUnread: false,
  } as const;
  const { every, pause } = effects;
  const end = await relayRound({ response, framing, joiner, client, signal, every, pause, room });
  const { usage } = joiner;
  tell({ kind: 'round_ended', round: 1, usage });
  signal.throwIfAborted();
  if (end.kind === 'unread') throw new Error('a response that must be read passed unread');
  if (end.kind !== 'failed') {
    await client.end(joiner.finish());
    return { outcome: 'answered', status: exchange.response.status };
  }
  await client.fail(joiner.fail(end), framing.isStream || end.reason === 'upstream_error');
  return { outcome: 'failed', status: exchange.response.status };
}

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
 * Passes an upstream's error on unchanged. If a later round fails, the model is shown all tools instead. If the
 * first response is unusable or the proxy has a defect, the original bytes are sent, as long as the client has
 * received nothing.
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
    const loop = await toLoop(hosted, context);
    const end = await runSearchLoop(loop);
    if (end.kind === 'over') return end.ending;
    const isLater = end.because === 'later_round_failed';
    if (end.kind === 'refused') {
      if (!isLater || !exchange.format.vendor.rejections.includes(end.response.status))
        return relay(end.response, exchange);
      end.response.body.destroy();
    }
    if (!isLater) return restoreOriginal(hosted, end.because);
    hosted.tell({ kind: 'restored', because: end.because });
    return relay(await sendShown(hosted), exchange);
  });
}

/** Sends the request with all tools and no searches. */
function sendShown({ view, searches, sender }: HostedExchange): Promise<UpstreamResponse> {
  const { plan, removedHeaders, answering } = searches;
  const shown = { ...plan, defer: [], load: [], offered: undefined };
  const body = answering([]).editing.editRequest(view, shown, NOTHING_SAID);
  return sender.sendPolyfilled({ body, removedHeaders });
}

const NOTHING_SAID: Past = { hiddenTurns: [], rounds: [] };

/** Builds the search loop, after resolving searches that the history left open. */
async function toLoop(hosted: HostedExchange, context: HostedContext): Promise<SearchLoop> {
  const { exchange, view, searches, sender, hold, tell } = hosted;
  const { plan, open, removedHeaders } = searches;
  const resolve = resolver(hosted, context);
  const early = open.length > 0 ? await resolve(open) : NO_SEARCHES;
  if (open.length > 0) {
    tell({ kind: 'searched', searches: early.records });
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
    sendOriginal: () => sendShown(hosted),
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
  add: async () => 0,
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
