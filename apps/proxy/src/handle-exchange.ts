import type { Plan, RequestView, Round } from '@winnow/wire';
import { askUpstream } from './ask-upstream.ts';
import { isBypass } from './bypass.ts';
import { ClientAnswer } from './client-answer.ts';
import {
  answerFailure,
  answerRefusal,
  mayDropThinking,
  restoreOriginal,
  sendOriginal,
  tryOriginal,
  type Unfinished,
} from './fall-back.ts';
import { finishExchange } from './finish-exchange.ts';
import { forwardUntouched, relay } from './forward-untouched.ts';
import { modelName } from './model-name.ts';
import { noteFailure } from './note-failure.ts';
import type { ExchangeWatch } from './observe/exchange-watch.ts';
import { asSent } from './plan-exchange.ts';
import { type FormatExchange, notePlan, type Prepared, prepareExchange } from './prepare-exchange.ts';
import type { ProxyContext } from './proxy-context.ts';
import { ProxyError } from './proxy-error.ts';
import { readExchange } from './read-exchange.ts';
import { receiveBody } from './receive-body.ts';
import { recordAttributes } from './record-attributes.ts';
import { addFindings, NO_FINDINGS, planAfterRound, resolveRound } from './resolve-round.ts';
import { decideForSession, type RolloutDecision, WITHOUT_SESSION } from './rollout.ts';
import { cluesOf, originOf } from './sessions/clues-of.ts';
import { sessionBucket } from './sessions/session-bucket.ts';
import { startClock } from './start-clock.ts';
import { startRecord } from './start-record.ts';
import { isTransportError } from './upstream/is-transport-error.ts';
import type { UpstreamResponse } from './upstream/upstream-client.ts';
import { watchAnswer } from './watch-answer.ts';

/** How often a client that waits for hidden rounds hears that the line is alive, in milliseconds. */
const HEARTBEAT_MS = 10_000;

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
    record.status = isBypass(prepared.plan) ? await sendOriginal(original) : await converseSafely(prepared);
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

/** As `converse`; a defect of ours is no reason for the client to go without its answer, as long as it has seen nothing. */
async function converseSafely(prepared: Prepared): Promise<number> {
  const { exchange, context } = prepared;
  try {
    return await converse(prepared);
  } catch (error) {
    const isOurs = !(error instanceof ProxyError) && !isTransportError(error) && !exchange.signal.aborted;
    if (!isOurs || exchange.outgoing.headersSent) throw error;
    context.onDefect(error);
    return restoreOriginal(prepared, 'defect');
  }
}

/** Sends the edited request, answers the model's searches, goes round, and gives the status that the client got. */
async function converse(prepared: Prepared): Promise<number> {
  const { exchange, context, record, clock, view } = prepared;
  const answer = new ClientAnswer(exchange);
  const joiner = exchange.format.joinAnswers(view, prepared.plan);
  const rounds: Round[] = [];
  let plan = prepared.plan;
  let findings = NO_FINDINGS;
  let dropsThinking = false;
  const stopHeartbeat = context.effects.every(HEARTBEAT_MS, () => {
    if (view.isStream && rounds.length > 0) answer.beat(exchange.format.heartbeat);
  });
  try {
    for (;;) {
      const firstPlan = prepared.plan;
      const unfinished: Unfinished = { ...prepared, plan, firstPlan, dropsThinking, answer, joiner };
      const response = await ask(unfinished, rounds);
      if (!response || (!isGood(response) && rounds.length > 0)) {
        return await answerFailure(unfinished, INTERRUPTED, rounds.length);
      }
      if (!isGood(response) && (await mayDropThinking(unfinished, response))) {
        response.body.destroy();
        const status = await tryOriginal(unfinished);
        if (status !== undefined) return status;
        record.droppedThinking = dropsThinking = true;
        continue;
      }
      if (!isGood(response)) return await answerRefusal(unfinished, response);
      if (!isWatched(prepared)) return await relayAnswer(response, prepared);

      answer.takeHead(response);
      const end = await watchAnswer({ response, joiner, answer, signal: exchange.signal });
      clock.roundEnds();
      record.usage = joiner.usage;
      if (end.kind === 'failed') return await answerFailure(unfinished, end, rounds.length);
      // Without a search tool, a search is one that the model has made up: it had its last call.
      if (end.kind === 'finished' || plan.searchTool === undefined) {
        await finishExchange(unfinished, { rounds, turn: end.turn, findings });
        return exchange.outgoing.statusCode;
      }
      const resolution = await resolveRound(unfinished, end.turn, findings, rounds.length + 1);
      rounds.push({ turn: end.turn, results: resolution.results });
      findings = addFindings(findings, resolution);
      plan = planAfterRound(plan, resolution, rounds.length);
      notePlan(record, view, plan);
    }
  } finally {
    stopHeartbeat();
  }
}

/** The next answer of the upstream; undefined when a later round cannot reach it. */
async function ask(unfinished: Unfinished, rounds: readonly Round[]): Promise<UpstreamResponse | undefined> {
  const { exchange, context, record, clock, view, known, plan, firstPlan, dropsThinking } = unfinished;
  const { hiddenTurns } = known;
  exchange.signal.throwIfAborted();
  const body = exchange.format.editRequest(view, asSent(plan, firstPlan), {
    hiddenTurns,
    rounds,
    dropsThinking,
  });
  record.upstreamCalls++;
  clock.roundBegins();
  try {
    return await askUpstream({ ...exchange, plan, body, round: record.upstreamCalls, send: context.send });
  } catch (error) {
    if (rounds.length === 0 || exchange.signal.aborted) throw error;
    return undefined;
  }
}

const INTERRUPTED = {
  kind: 'failed',
  reason: 'interrupted',
  message: 'The upstream stopped answering in the middle of the answer.',
} as const;

function isGood({ status }: UpstreamResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Only an answer that may call the search tool has to be read; any other is passed on as it is. */
function isWatched({ exchange, plan }: { exchange: FormatExchange; plan: Plan }): boolean {
  return plan.searchTool !== undefined && exchange.purpose === 'answer';
}

async function relayAnswer(response: UpstreamResponse, { exchange }: Prepared): Promise<number> {
  await relay(response, exchange);
  return response.status;
}
