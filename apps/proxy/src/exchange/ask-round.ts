import type { RoundProblem } from '@winnow/contract';
import { causeCode, decodeStream } from '@winnow/service';
import {
  type Framing,
  framingFor,
  OverlongEvent,
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
  type RoundFinished,
  type RoundSearching,
  readEvents,
  type Usage,
} from '@winnow/wire';
import type { ClientResponse } from '../client/client-response.ts';
import type { ClientSignal } from '../client/client-signal.ts';
import { isGood } from '../upstream/is-good.ts';
import { isTransportError } from '../upstream/is-transport-error.ts';
import { headerValue } from '../upstream/request-headers.ts';
import type { UpstreamBody } from '../upstream/upstream-body.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';
import type { LoopOutput, SearchLoop } from './loop-input.ts';
import { type LoopProgress, planToSend } from './loop-progress.ts';
import { retryDelayMs } from './retry-delay.ts';

/** What one round came to, after all tries. */
export type RoundOutcome =
  | RoundSearching
  | RoundFinished
  /** The upstream answered with an error; its response is still to be read. */
  | { readonly kind: 'refused'; readonly response: UpstreamResponse }
  /** There was no response. */
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | RoundFailure;

/** A round that came to nothing. */
export type BadRound = Exclude<RoundOutcome, RoundSearching | RoundFinished>;

/** Once the client has its head, nothing but its patience limits a repetition: as long as a heartbeat, in milliseconds. */
const STARTED_LEFT_MS = 14_000;

/**
 * Asks the upstream for the next round, and passes on what the client may see of it.
 *
 * A later round that fails in passing (408, 409, 429, 5xx, on the wire) is asked for again, as long as the client has seen nothing of it: the
 * client knows nothing of rounds, and could only repeat the whole exchange. The first one is the client's own request, and its to repeat.
 *
 * Rejects when the client leaves, and with defects.
 */
export async function askRound(
  loop: SearchLoop,
  progress: LoopProgress,
  output: LoopOutput,
): Promise<RoundOutcome> {
  for (let tries = 1; ; tries++) {
    const mark = output.client.mark();
    const outcome = await tryRound(loop, progress, output);
    if (outcome.kind === 'searching' || outcome.kind === 'finished') return outcome;
    loop.exchange.signal.throwIfAborted();
    const round = progress.rounds.length + 1;
    loop.tell({ kind: 'round_failed', round, ...describe(outcome) });
    const waitMs = round === 1 ? undefined : delayOf(loop, outcome, tries, output);
    if (waitMs === undefined || !output.client.takeBack(mark)) return outcome;
    if (outcome.kind === 'refused') outcome.response.body.destroy();
    output.joiner.abandonRound();
    await waitFor(loop, waitMs);
  }
}

/** Sends the next request once and reads its response. */
async function tryRound(
  loop: SearchLoop,
  progress: LoopProgress,
  { client, joiner }: LoopOutput,
): Promise<RoundOutcome> {
  const { exchange, view, tell } = loop;
  const response = await send(loop, progress);
  if ('kind' in response) return response;
  if (!isGood(response)) return { kind: 'refused', response };
  const framing = framingFor(exchange.format, view, headerValue(response.headers, 'content-type'));
  client.takeHead(response, framing);
  const { signal } = exchange;
  const before = joiner.usage;
  const end: RoundEnd = await relayRound({ response, framing, joiner, client, signal, every: loop.every });
  const { usage, notices } = joiner;
  const round = progress.rounds.length + 1;
  tell({ kind: 'round_ended', round, usage: usageSince(before, usage), ...(notices && { notices }) });
  return end;
}

/** What one response has added to what the joiner had counted before; undefined when it added nothing. */
function usageSince(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  if (after === undefined) return undefined;
  const inputTokens = after.inputTokens - (before?.inputTokens ?? 0);
  const outputTokens = after.outputTokens - (before?.outputTokens ?? 0);
  return inputTokens === 0 && outputTokens === 0 ? undefined : { inputTokens, outputTokens };
}

async function send(
  { exchange, view, hiddenTurns, dropsThinking, alias, sender }: SearchLoop,
  progress: LoopProgress,
): Promise<UpstreamResponse | Extract<RoundOutcome, { kind: 'unreachable' }>> {
  exchange.signal.throwIfAborted();
  const past = { hiddenTurns, rounds: progress.rounds, dropsThinking, alias };
  const body = exchange.format.editRequest(view, planToSend(progress), past);
  try {
    return await sender.sendEdited(body, view, progress.plan);
  } catch (error) {
    if (exchange.signal.aborted) throw error;
    return { kind: 'unreachable', error };
  }
}

/** How a bad outcome is told of. */
function describe(outcome: BadRound): RoundProblem {
  switch (outcome.kind) {
    case 'refused':
      return { reason: 'refused', status: outcome.response.status };
    case 'unreachable':
      return { reason: 'unreachable', cause: causeCode(outcome.error) };
    case 'failed':
      return { reason: outcome.reason };
    default:
      return outcome satisfies never;
  }
}

/** Failures of a response that say nothing about the request: the wire's, and the upstream's own within a stream. */
const PASSING_FAILURES: ReadonlySet<RoundFailure['reason']> = new Set(['truncated', 'upstream_error']);

function delayOf(
  { retryAttempts, heartbeatAt, now }: SearchLoop,
  outcome: BadRound,
  tries: number,
  { client }: LoopOutput,
): number | undefined {
  if (outcome.kind === 'failed' && !PASSING_FAILURES.has(outcome.reason)) return undefined;
  const response = outcome.kind === 'refused' ? outcome.response : undefined;
  return retryDelayMs(
    { status: response?.status, retryAfter: response && headerValue(response.headers, 'retry-after'), tries },
    { attempts: retryAttempts, leftMs: client.hasStarted ? STARTED_LEFT_MS : heartbeatAt - 1_000 - now() },
  );
}

/** Resolves after a while; rejects when the client leaves before. */
function waitFor({ every, exchange: { signal } }: SearchLoop, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = every(waitMs, () => end(resolve));
    const leaving = { onLeave: (reason: Error) => end(() => reject(reason)) };
    const end = (settle: () => void) => {
      stop();
      signal.remove(leaving);
      settle();
    };
    signal.add(leaving);
  });
}

/** One round's response on its way to the client. */
interface RoundResponse {
  readonly response: UpstreamResponse;
  readonly framing: Framing;
  readonly joiner: ResponseJoiner;
  readonly client: ClientResponse;
  /** Aborts when the client leaves. */
  readonly signal: ClientSignal;
  readonly every: SearchLoop['every'];
}

/**
 * Feeds one round's response through the joiner to the client, event by event, and gives how the round ended.
 *
 * The next event is read only when the client has room for it. Rejects when the client leaves; an upstream that breaks off is a
 * round that failed.
 */
async function relayRound({
  response,
  framing,
  joiner,
  client,
  signal,
  every,
}: RoundResponse): Promise<RoundEnd> {
  const { headers, body } = response;
  const decoded = decodeStream(body, headerValue(headers, 'content-encoding'));
  if (!decoded) {
    body.destroy();
    return {
      kind: 'failed',
      reason: 'malformed_answer',
      message: 'The upstream answered in an unknown encoding.',
    };
  }
  try {
    for await (const event of readEvents(untilOver(decoded, joiner), framing)) {
      const events = joiner.feed(event);
      if (joiner.amendedStart !== undefined && !client.hasStarted) client.amendStart(joiner.amendedStart);
      if (events.length > 0) await client.write(events, joiner.hasShown);
    }
  } catch (error) {
    if (error instanceof OverlongEvent) {
      return { kind: 'failed', reason: 'held_too_much', message: 'The answer is too long to be completed.' };
    }
    if (signal.aborted || !isTransportError(error)) throw error;
    // The bytes ended early; how much of the response was there, the joiner knows.
  }
  // What decodes the body reads it still; only a body that is read as it is can be read on here.
  if (decoded === body) letGoSoon(body, every);
  else body.destroy();
  return joiner.endRound();
}

/** A body up to the piece with the terminal event of its round. */
async function* untilOver(
  body: AsyncIterable<Uint8Array>,
  joiner: ResponseJoiner,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = body[Symbol.asyncIterator]();
  while (!joiner.isRoundOver) {
    const next = await pieces.next();
    if (next.done) return;
    yield next.value;
  }
}

/** What may still come behind the terminal event, in bytes: the end of a chunk, of an encoding. */
const MOST_TRAILING_BYTES = 64 * 1024;

/** How long the connection may take to end a response whose terminal event is there, in milliseconds. Then it can be used again. */
const TRAILING_MS = 1_000;

/** Reads a body on to its end, which is near, and closes the connection where it is not. */
function letGoSoon(body: UpstreamBody, every: SearchLoop['every']): void {
  if (body.end) return;
  let bytes = 0;
  const readOn = () => {
    for (let piece = body.take(); piece !== undefined; piece = body.take()) bytes += piece.length;
    if (bytes > MOST_TRAILING_BYTES) body.destroy();
  };
  body.onMore(readOn);
  readOn();
  if (body.end) return;
  const stop = every(TRAILING_MS, () => body.destroy());
  body.onOver(stop);
}
