import type { ExchangeRecord, RestoreReason } from '@winnow/contract';
import type { AnswerJoiner, Plan, RoundFailure } from '@winnow/wire';
import type { ClientAnswer } from '../client/client-answer.ts';
import { addToolBytes } from '../records/start-record.ts';
import { idempotencyKey } from '../upstream/idempotency-key.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';
import { type Onlooker, relay, sendBytes } from './forward-untouched.ts';
import type { Original, Prepared } from './prepare-exchange.ts';
import { readUpTo } from './read-up-to.ts';
import { relayRefusal } from './relay-refusal.ts';

/** Statuses with which a provider says that it does not take a request as it is. */
const REJECTIONS = [400, 404, 413, 422];

/** What a failure in the middle of an exchange leaves. */
export interface Unfinished extends Prepared {
  /** The thinking in the history has been left out. */
  readonly dropsThinking: boolean;
  /** The plan of the exchange's first request. */
  readonly firstPlan: Plan;
  readonly answer: ClientAnswer;
  readonly joiner: AnswerJoiner;
}

/** Sends the bytes of the client's request as they came, passes the answer on as it is, and gives its status. */
export async function sendOriginal(original: Original, onlooker?: Onlooker): Promise<number> {
  const response = await askOriginal(original);
  await relay(response, { ...original.exchange, onlooker });
  return response.status;
}

/** Sends the original bytes after edited ones. */
export function restoreOriginal(original: Original, reason: RestoreReason): Promise<number> {
  noteRestored(original.record, reason);
  return sendOriginal(original);
}

/** As `restoreOriginal`, but only a good answer is passed on; undefined, and the client has seen nothing, where it is none. */
export async function tryOriginal(original: Original): Promise<number | undefined> {
  const response = await askOriginal(original);
  if (response.status < 200 || response.status > 299) {
    response.body.destroy();
    return undefined;
  }
  noteRestored(original.record, 'upstream_rejected_edit');
  await relay(response, original.exchange);
  return response.status;
}

function askOriginal({ exchange, context, record, clock, body }: Original): Promise<UpstreamResponse> {
  record.upstreamCalls++;
  clock.roundBegins();
  const replace = idempotencyKey(exchange.incoming.rawHeaders, record.upstreamCalls);
  return sendBytes(body, { ...exchange, send: context.send, replace });
}

function noteRestored(record: ExchangeRecord, reason: RestoreReason): void {
  const { before } = record.toolBytes;
  record.restoredBecause = reason;
  record.toolBytes = addToolBytes(record.toolBytes, { before, after: before });
}

/**
 * Whether an upstream has refused a request because of thinking that is not where it was thought: hidden turns around it are lost when
 * the session store was away or has forgotten them, or the conversation has begun before its tools were touched. The latter's original is
 * fine; the former's is refused as well, and the request is worth another try without the thinking.
 *
 * Every such refusal names the thinking. Any other is none: a request that is too long, say, would be taken without the model's own thoughts,
 * and the client would not learn that it is. Reads the refusal.
 */
export async function mayDropThinking(
  { exchange, view, dropsThinking }: Unfinished,
  { status, body }: UpstreamResponse,
): Promise<boolean> {
  if (status !== INVALID_REQUEST || dropsThinking || !exchange.format.holdsThinking(view)) return false;
  try {
    return (await readUpTo(body, MAX_REFUSAL_BYTES)).includes('thinking');
  } catch {
    // It broke off: what it would have said is unknown, and what it comes to is the same for any refusal.
    return false;
  }
}

/** A refusal is a sentence. */
const MAX_REFUSAL_BYTES = 65_536;

const INVALID_REQUEST = 400;

/**
 * Answers a request whose edited form the upstream refused: a rejection by sending the original bytes once, any other error by passing
 * it on. Gives the status that the client got.
 */
export async function answerRefusal(prepared: Prepared, response: UpstreamResponse): Promise<number> {
  const { exchange, context, plan, view } = prepared;
  if (!REJECTIONS.includes(response.status)) {
    await relayRefusal({ ...exchange, response, plan });
    return response.status;
  }
  response.body.destroy();
  const status = await restoreOriginal(prepared, 'upstream_rejected_edit');
  const isFaultOfNative = plan.loadMode === 'native' && status >= 200 && status <= 299;
  if (isFaultOfNative) context.loadModes.refuse({ upstream: exchange.target.upstream, model: view.model });
  return status;
}

/**
 * Ends an exchange whose round failed: with the original bytes while the client has seen nothing and they may do better, otherwise with the
 * format's error. Gives the status that the client got.
 */
export async function answerFailure(
  unfinished: Unfinished,
  failure: RoundFailure,
  rounds: number,
): Promise<number> {
  const { exchange, answer, joiner, plan, view } = unfinished;
  exchange.signal.throwIfAborted();
  if (!answer.hasStarted && rounds > 0) return restoreOriginal(unfinished, 'later_round_failed');
  const isUnreadable = failure.reason === 'malformed_answer' || failure.reason === 'held_too_much';
  if (!answer.hasStarted && isUnreadable) return restoreOriginal(unfinished, 'answer_unreadable');
  const text = withoutName(joiner.fail(failure), plan.searchTool?.name);
  unfinished.record.outcome = 'failed';
  if (view.isStream || failure.reason === 'upstream_error') await answer.end(text);
  else await answer.fail(BAD_GATEWAY, text);
  return exchange.outgoing.statusCode;
}

const BAD_GATEWAY = 502;

/** An upstream's error may speak of the search tool, of which the client knows nothing. */
function withoutName(text: string, name: string | undefined): string {
  return name === undefined ? text : text.replaceAll(name, 'a tool');
}
