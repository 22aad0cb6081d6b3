import type { RequestView } from '@winnow/wire';
import { receiveBody } from './client/receive-body.ts';
import { converse } from './converse.ts';
import { sendOriginal } from './exchange/fall-back.ts';
import { forwardUntouched } from './exchange/forward-untouched.ts';
import { noteFailure } from './exchange/note-failure.ts';
import { type FormatExchange, prepareExchange } from './exchange/prepare-exchange.ts';
import { readExchange } from './exchange/read-exchange.ts';
import type { ExchangeWatch } from './observe/exchange-watch.ts';
import type { ProxyContext } from './proxy-context.ts';
import { modelName } from './records/model-name.ts';
import { recordAttributes } from './records/record-attributes.ts';
import { startClock } from './records/start-clock.ts';
import { startRecord } from './records/start-record.ts';
import { decideForSession, type RolloutDecision, WITHOUT_SESSION } from './rollout.ts';
import { cluesOf, originOf } from './sessions/clues-of.ts';
import { sessionBucket } from './sessions/session-bucket.ts';
import { isBypass } from './strategies/bypass.ts';

/** How long a client may send nothing of a body that is not whole, in milliseconds: as long as for the head of its request. */
const BODY_IDLE_MS = 60_000;

/**
 * Answers one request of a known format and reports it once: the whole story, from top to bottom.
 *
 * Whatever fails on our side, the client gets what it would have got without us: as long as it has seen nothing, its original bytes
 * are sent. Rejects with the error that is to be the answer, or when the client has left. Without a decision, `rollout` depends on the
 * session.
 */
export async function handleExchange(
  exchange: FormatExchange,
  context: ProxyContext,
  rollout: RolloutDecision | undefined,
): Promise<void> {
  const { settings, effects } = context;
  const record = startRecord(exchange, context, rollout ?? WITHOUT_SESSION);
  const clock = startClock(exchange, record, effects.now);
  const hold = context.memory.open();
  let watch: ExchangeWatch | undefined;
  try {
    // 1. The request, as bytes and as a view of what is acted on.
    const limitBytes = settings['server.max_body'];
    const body = await receiveBody(exchange.incoming, { limitBytes, idleMs: BODY_IDLE_MS, hold });
    clock.received();
    if (!body) {
      record.planReason = 'short_of_memory';
      record.upstreamCalls = 1;
      clock.roundBegins();
      record.status = await forwardUntouched({ ...exchange, send: context.send });
      record.outcome = 'answered';
      return;
    }
    const reading = await readExchange(body, {
      ...exchange,
      limitBytes,
      contentEncoding: exchange.incoming.headers['content-encoding'],
      searchToolName: settings['pipes.tool_discovery.search_tool_name'],
      hasRoom: (addedBytes) => hold.take(addedBytes) && context.memory.hasHeap,
      onDefect: context.onDefect,
    });
    const original = { exchange, context, record, clock, body };
    record.model = modelName(reading.view);
    record.isStream = reading.view?.isStream ?? false;
    record.outcome = 'answered';
    // 2. Whether the tools of this session are to be touched at all.
    const { arm, reason } = rollout ?? decideForView(reading.view, exchange, context);
    record.arm = arm;
    record.armReason = reason;
    if (arm !== 'full') {
      record.planMs = clock.sinceReceived();
      watch = context.watch({ ...exchange, arm });
      watch?.takeRequest(body);
      record.status = await sendOriginal(original, watch);
      return;
    }
    if (!reading.ok) {
      record.planReason = reading.reason;
      record.planMs = clock.sinceReceived();
      record.status = await sendOriginal(original);
      return;
    }
    // 3. What the conversation has gathered, and what the model shall see of the tools.
    const prepared = await prepareExchange(original, reading.view);
    record.planMs = clock.sinceReceived();
    // 4. To the upstream and back, until the model has done more than search.
    record.status = isBypass(prepared.plan) ? await sendOriginal(original) : await converse(prepared);
  } catch (error) {
    noteFailure(record, error, exchange);
    throw error;
  } finally {
    hold.release();
    clock.writeTo(record);
    if (exchange.span.isRecorded) exchange.span.set(recordAttributes(record));
    context.report(record, watch);
  }
}

/** Decides by the percentage of sessions that are on. */
function decideForView(
  view: RequestView | undefined,
  { incoming, target }: FormatExchange,
  { settings }: ProxyContext,
): RolloutDecision {
  return decideForSession(
    settings['rollout.percent'],
    sessionBucket(cluesOf(view, originOf(incoming, target))),
  );
}
