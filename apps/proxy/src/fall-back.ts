import type { RestoreReason } from '@winnow/contract';
import type { AnswerJoiner, RoundFailure } from '@winnow/wire';
import type { ClientAnswer } from './client-answer.ts';
import { forwardBytes, type Onlooker } from './forward-untouched.ts';
import type { Original, Prepared } from './prepare-exchange.ts';
import { readUpTo } from './read-up-to.ts';
import { relayRefusal } from './relay-refusal.ts';
import { addToolBytes } from './start-record.ts';
import { idempotencyKey } from './upstream/idempotency-key.ts';
import type { UpstreamResponse } from './upstream/upstream-client.ts';

/** Statuses with which a provider says that it does not take a request as it is. */
const REJECTIONS = [400, 404, 413, 422];

/** What a failure in the middle of an exchange leaves. */
export interface Unfinished extends Prepared {
  /** The thinking in the history has been left out. */
  readonly dropsThinking: boolean;
  readonly answer: ClientAnswer;
  readonly joiner: AnswerJoiner;
}

/** Sends the bytes of the client's request as they came, passes the answer on as it is, and gives its status. */
export async function sendOriginal(
  { exchange, context, record, clock, body }: Original,
  onlooker?: Onlooker,
): Promise<number> {
  record.upstreamCalls++;
  clock.roundBegins();
  const replace = idempotencyKey(exchange.incoming.rawHeaders, record.upstreamCalls);
  return forwardBytes(body, { ...exchange, send: context.send, replace, onlooker });
}

/** Sends the original bytes after edited ones. */
export async function restoreOriginal(original: Original, reason: RestoreReason): Promise<number> {
  const { record } = original;
  record.restoredBecause = reason;
  record.toolBytes = addToolBytes(record.toolBytes, {
    before: record.toolBytes.before,
    after: record.toolBytes.before,
  });
  return sendOriginal(original);
}

/**
 * Whether an upstream has refused a request because of thinking that is not where it was thought: hidden turns around it are lost when
 * the session store was away or has forgotten them. Then the request is worth another try without it; the original would be refused as well.
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
