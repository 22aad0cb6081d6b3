import type { RequestView } from '@winnow/wire';
import type { MemoryHold } from '../memory/request-memory.ts';
import { readExchange } from '../reading/read-exchange.ts';
import { modelName } from '../records/model-name.ts';
import { clientOf, identityOf, originOf } from '../sessions/identity-of.ts';
import type { KnownResponse } from '../sessions/known-response.ts';
import { sessionBucket } from '../sessions/session-bucket.ts';
import { namesConversation } from '../sessions/session-identity.ts';
import { isBypass } from '../strategies/bypass.ts';
import { clientAddress } from '../upstream/choose-upstream.ts';
import { answerHosted } from './answer-hosted.ts';
import { answerPolyfilled, hostedFor, polyfillFor } from './answer-polyfilled.ts';
import { converse, sendWithoutThinking } from './converse.ts';
import { ExchangeSender } from './exchange-sender.ts';
import { findPrevious, originalAfter } from './find-response.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import { offerToRequest } from './offer-to-request.ts';
import { planExchange } from './plan-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';
import { receiveBody } from './receive-body.ts';
import { type Reporter, reportExchange } from './report-exchange.ts';
import { decideForSession, type RolloutDecision } from './rollout.ts';

/**
 * Answers one request of a known format and reports it once: the whole story, from top to bottom.
 *
 * Each step takes what it needs and returns what has happened. What is told of it are facts; the record is folded from them at the end.
 *
 * Whatever fails on our side, the client gets what it would have got without us: as long as it has seen nothing, its original bytes
 * are sent. Rejects with the error that is to be the response, or when the client has left. Without a decision, `rollout` depends on the
 * session.
 */
export async function handleExchange(
  exchange: FormatExchange,
  context: ProxyContext,
  rollout: RolloutDecision | undefined,
): Promise<void> {
  const { incoming, target } = exchange;
  const tenantHeaders = context.settings['sessions.tenant_headers'];
  const hold = context.memory.open(clientOf(originOf(incoming, target, tenantHeaders)));
  try {
    await reportExchange(exchange, context, (reporter) =>
      answerExchange({ exchange, rollout, hold, ...reporter }, context),
    );
  } finally {
    hold.release();
  }
}

interface UnansweredExchange extends Reporter {
  readonly exchange: FormatExchange;
  readonly rollout: RolloutDecision | undefined;
  /** What the exchange takes of the memory that all share. */
  readonly hold: MemoryHold;
}

async function answerExchange(
  { exchange, rollout, hold, tell, tap }: UnansweredExchange,
  context: ProxyContext,
): Promise<Ending> {
  const { settings, memory, stalls, send, onDefect, effects } = context;
  if (rollout) tell({ kind: 'decided', ...rollout });

  if (exchange.target.isSealed) {
    tell({ kind: 'left_alone', reason: 'signed_request' });
    return new ExchangeSender({ exchange, send, tell }).forwardUnread();
  }

  // 1. The request, as bytes and as a view of what is acted on.
  const limitBytes = settings['server.max_body'];
  const body = await receiveBody(exchange.incoming, { limitBytes, stalls, hold });
  tell({ kind: 'received' });
  if (!body) {
    tell({ kind: 'left_alone', reason: 'short_of_memory' });
    return new ExchangeSender({ exchange, send, tell }).forwardUnread();
  }
  const receivedBytes = hold.bytes;
  const isLarge = body.length > LARGE_BYTES;
  if (isLarge) {
    body.join();
    await effects.pause();
  }
  const reading = await readExchange(body, {
    ...exchange,
    address: clientAddress(exchange.target),
    limitBytes,
    contentEncoding: exchange.incoming.headers['content-encoding'],
    searchToolName: settings['tools.search_tool_name'],
    clientSearchTools: settings['tools.client_search_tools'],
    neverClientSearch: settings['tools.never_client_search'],
    take: (bytes) => memory.hasHeap && hold.take(bytes),
    onDefect,
  });
  // What was taken to read it is not used, or no more.
  if (reading.view === undefined) hold.give(hold.bytes - receivedBytes);
  if (isLarge) await effects.pause();
  tell({ kind: 'read', model: modelName(reading.view), isStream: reading.view?.isStream ?? false });

  // A request may go on from a response by an id that stands for several: the provider has to get the one that it knows.
  const known = await findPrevious(reading.view, exchange, context);
  const original = originalAfter(body, reading.view, exchange.format, known);
  const sender = new ExchangeSender({ exchange, send, tell, isDecoded: original !== body });

  // 2. Whether the tools are to be touched at all.
  const decision = rollout ?? decideForView(reading.view, exchange, context, known);
  if (!rollout) tell({ kind: 'decided', ...decision });
  if (decision.arm !== 'full') {
    tell({ kind: 'left_alone', reason: 'not_read' });
    const tapped = tap(decision.arm);
    tapped?.takeRequest(body.whole);
    return sender.forwardOriginal(original, tapped);
  }
  const polyfilled = polyfillFor(reading.view, exchange, context.onDefect);
  if (polyfilled !== undefined && hold.setAside(RESPONSE_BYTES)) {
    tell({ kind: 'left_alone', reason: 'polyfilled' });
    const view = reading.view!;
    return answerPolyfilled({ exchange, view, polyfilled, sender, hold, tell }, context);
  }
  const searches = hostedFor(reading.view, exchange, context.onDefect);
  if (searches !== undefined && hold.setAside(RESPONSE_BYTES)) {
    return answerHosted(
      { exchange, body: original, view: reading.view!, searches, sender, hold, tell },
      context,
    );
  }
  const take = (bytes: number) => hold.take(bytes);
  const offer = offerToRequest(reading, exchange, {
    ...context,
    take: (bytes) => memory.hasHeap && take(bytes),
  });
  const isOffered = offer?.outcome === 'made';
  if (offer !== undefined && !isOffered) tell({ kind: 'offered', outcome: offer.outcome });
  if (!reading.ok && !isOffered) {
    tell({ kind: 'left_alone', reason: reading.reason });
    return sender.forwardOriginal(original);
  }

  // 3. What the conversation has gathered, and what the model shall see of the tools.
  const view = isOffered ? offer.view : reading.view!;
  const planned = await planExchange(exchange, view, context, known, { take, offers: isOffered });
  for (const fact of planned.facts) tell(fact);
  if (isOffered) tell({ kind: 'offered', outcome: planned.plan.offered ? 'made' : 'left_alone' });
  if (isLarge) await effects.pause();

  if (!isBypass(planned.plan) && !hold.setAside(RESPONSE_BYTES)) {
    tell({ kind: 'left_alone', reason: 'short_of_memory' });
    return sender.forwardOriginal(original);
  }

  // 4. To the upstream and back, until the model has done more than search.
  const edited = { ...planned, exchange, body: original, view, sender, tell, hold };
  if (!isBypass(planned.plan)) return converse(edited, context);
  const isWithout = planned.plan.reason === 'refused_before' && planned.dropsThinking;
  return isWithout
    ? sendWithoutThinking({ ...edited, view: reading.view! })
    : sender.forwardOriginal(original);
}

/** Bodies that are larger are read, recognised and edited in turns of the event loop of their own: each takes long enough. In bytes. */
const LARGE_BYTES = 512 * 1024;

/** What is set aside for the response of an edited request, in bytes: most streams take less at any time, and so do whole answers of some pages. */
const RESPONSE_BYTES = 128 * 1024;

/** Decides by the percentage of sessions that are on. */
function decideForView(
  view: RequestView | undefined,
  { incoming, target, format }: FormatExchange,
  { settings }: ProxyContext,
  known: KnownResponse | undefined,
): RolloutDecision {
  const percent = settings['rollout.percent'];
  if (known !== undefined) return decideForSession(percent, known.bucket);
  const origin = originOf(incoming, target, settings['sessions.tenant_headers']);
  const identity = identityOf(view, origin);
  // It shows the end of a conversation only, by which nothing tells whether the rest was inside.
  const isContinued =
    view !== undefined && format.capabilities.storedResponses?.previousId(view) !== undefined;
  if (isContinued && !namesConversation(identity)) return decideForSession(percent, undefined);
  return decideForSession(percent, sessionBucket(identity));
}
