import type { FailedRound } from '@winnow/core';
import { causeCode } from '@winnow/service';
import {
  addedHeaders,
  editsSpokenOf,
  framingFor,
  hiddenNames,
  leaveOut,
  type Plan,
  type Round,
  type RoundEnd,
  type RoundFailure,
  type RoundFinished,
  type RoundSearching,
  type Usage,
} from '@winnow/wire';
import type { ModelPlace } from '../strategies/load-modes.ts';
import { headerValue } from '../upstream/headers.ts';
import { isGood } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { readUpTo, UpstreamBody } from '../upstream/upstream-body.ts';
import { type LoopOutput, type LoopProgress, planToSend, type SearchLoop } from './loop-progress.ts';
import { type RoundUnread, relayRound } from './relay-round.ts';

/** The outcome of one round, after all attempts. */
type RoundOutcome =
  | RoundSearching
  | RoundFinished
  | RoundUnread
  /** The upstream returned an error; its response is yet to be read. */
  | { readonly kind: 'refused'; readonly response: UpstreamResponse }
  /** There was no response. */
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | RoundFailure;

/** A round that failed. */
export type BadRound = Exclude<RoundOutcome, RoundSearching | RoundFinished | RoundUnread>;

/**
 * Longest delay before a retry once the client has received the head, in milliseconds: about one heartbeat.
 */
const STARTED_LEFT_MS = 14_000;

/**
 * Requests the next round from the upstream, and passes its visible part on to the client.
 *
 * A later round that fails temporarily (408, 409, 425, 429, 5xx, transport errors) is retried as long as the
 * client has received none of it: the client does not know about rounds, and could only repeat the whole
 * exchange. Retrying the first round is left to the client, as it is the client's own request.
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
    const tried = await tryRound(loop, progress, output);
    if (tried.kind === 'searching' || tried.kind === 'finished') return tried;
    loop.exchange.signal.throwIfAborted();
    const outcome = await withoutRefusedEdits(tried, loop, progress, output);
    if (outcome.kind === 'searching' || outcome.kind === 'finished') return outcome;
    if (outcome.kind === 'unread') {
      loop.tell({ kind: 'round_failed', reason: 'held_too_much' });
      return outcome;
    }
    const round = progress.rounds.length + 1;
    loop.tell({ kind: 'round_failed', ...describe(outcome) });
    const waitMs = round === 1 ? undefined : delayOf(loop, outcome, tries, output);
    if (waitMs === undefined || !output.client.takeBack(mark)) return outcome;
    if (outcome.kind === 'refused') outcome.response.body.destroy();
    output.joiner.abandonRound();
    await waitFor(loop, waitMs);
  }
}

/** The most edits that one round is retried without. */
const MOST_EDITS = 3;

/** Statuses by which servers refuse a part of a request. */
const EDIT_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * Retries without the edits that the upstream refuses, one after the other. Once it accepts the request, later
 * ones to the upstream and model do without them, too.
 */
async function withoutRefusedEdits(
  outcome: RoundOutcome,
  loop: SearchLoop,
  progress: LoopProgress,
  output: LoopOutput,
): Promise<RoundOutcome> {
  const left: string[] = [];
  let tried = outcome;
  while (tried.kind === 'refused' && left.length < MOST_EDITS) {
    if (!EDIT_STATUSES.has(tried.response.status)) return tried;
    const { response, text } = await readRefusal(tried.response);
    tried = { kind: 'refused', response };
    const edit = dispensableEdit(loop, progress, { left, refusal: { status: response.status, text } });
    if (edit === undefined) return tried;
    response.body.destroy();
    loop.tell({ kind: 'round_failed', ...describe(tried) });
    left.push(edit);
    tried = await tryRound(loop, progress, output, left);
  }
  const isAccepted = tried.kind !== 'refused' && tried.kind !== 'unreachable';
  if (isAccepted && left.length > 0) loop.refusedEdits.add(placeOf(loop), left);
  return tried;
}

/** Returns the edit of a request that its refusal speaks of; undefined without any. */
function dispensableEdit(
  loop: SearchLoop,
  progress: LoopProgress,
  { left, refusal }: { left: readonly string[]; refusal: Parameters<typeof editsSpokenOf>[1] },
): string | undefined {
  const write = (without: readonly string[]) => {
    const { body, plan } = writeRound(loop, progress.rounds, planToSend(progress), without);
    const headers = addedHeaders(loop.exchange.format.loading, plan).map(({ value }) => value);
    return `${headers} ${Buffer.from(body).toString('latin1')}`;
  };
  const past = { hiddenTurns: loop.hiddenTurns, rounds: progress.rounds };
  const edits = editsSpokenOf(loop.exchange.format.loading, refusal, past);
  return edits.find((edit) => write(left) !== write([...left, edit]));
}

function placeOf({ exchange, view }: SearchLoop): ModelPlace {
  return { upstream: exchange.target.upstream, model: view.model };
}

/** Sends the next request once, without these edits, and reads its response. */
async function tryRound(
  loop: SearchLoop,
  progress: LoopProgress,
  output: LoopOutput,
  left: readonly string[] = [],
): Promise<RoundOutcome> {
  const response = await send(loop, progress, left);
  if ('kind' in response) return response;
  return isGood(response) ? readRound(loop, progress, response, output) : { kind: 'refused', response };
}

/** Reads a good response as the next round, and passes its visible part on to the client. */
export async function readRound(
  loop: SearchLoop,
  progress: LoopProgress,
  response: UpstreamResponse,
  { client, joiner }: LoopOutput,
): Promise<RoundEnd | RoundUnread> {
  const { exchange, view, tell } = loop;
  const framing = framingFor(exchange.format, view, headerValue(response.headers, 'content-type'));
  client.takeHead(response, framing);
  const { signal } = exchange;
  const { hold, limitBytes } = loop;
  const isFirst = progress.rounds.length === 0;
  const hidden = hiddenNames(loop.plan, view.toolSection);
  const shape = framing.isStream ? 'stream' : 'whole';
  // Binary frames cannot be scanned for names without parsing them.
  const mayPassUnread = isFirst && framing.isText;
  const room = { hold, limitBytes, shape, hidden, mayPassUnread } as const;
  const before = joiner.usage;
  const { every, pause } = loop;
  const end = await relayRound({ response, framing, joiner, client, signal, every, pause, room });
  const { usage } = joiner;
  const round = progress.rounds.length + 1;
  tell({ kind: 'round_ended', round, usage: usageSince(before, usage) });
  return end;
}

/** Returns the usage that one response added to the joiner's total; undefined if it added none. */
function usageSince(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  if (after === undefined) return undefined;
  const added: { -readonly [Count in keyof Usage]: Usage[Count] } = { ...after };
  for (const count of Object.keys(after) as (keyof Usage)[])
    added[count] = after[count]! - (before?.[count] ?? 0);
  return added.inputTokens === 0 && added.outputTokens === 0 ? undefined : added;
}

/** Writes the request of one round, without these edits; `plan` is the plan for its headers. */
function writeRound(loop: SearchLoop, rounds: readonly Round[], shown: Plan, left: readonly string[]) {
  const { exchange, view, hiddenTurns, dropsThinking, refusedEdits, alias } = loop;
  const without = new Set([...refusedEdits.of(placeOf(loop)), ...left]);
  const plan: Plan = without.has('choice') ? { ...shown, forbidsCalls: undefined } : shown;
  const past = leaveOut({ hiddenTurns, rounds, dropsThinking, without, alias });
  return {
    body: exchange.format.editing.editRequest(view, plan, past),
    plan: without.has('betas') ? { ...plan, defer: [] } : plan,
  };
}

/** Sends the request of one round. */
export function sendRound(
  loop: SearchLoop,
  rounds: readonly Round[],
  shown: Plan,
  left: readonly string[] = [],
): Promise<UpstreamResponse> {
  const { body, plan } = writeRound(loop, rounds, shown, left);
  return loop.sender.sendEdited(body, loop.view, plan);
}

async function send(
  loop: SearchLoop,
  progress: LoopProgress,
  left: readonly string[],
): Promise<UpstreamResponse | Extract<RoundOutcome, { kind: 'unreachable' }>> {
  const { signal } = loop.exchange;
  signal.throwIfAborted();
  const sending = sendRound(loop, progress.rounds, planToSend(progress), left);
  try {
    return await sending;
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'unreachable', error };
  }
}

/** Describes a failed outcome as a fact. */
function describe(outcome: BadRound): FailedRound {
  switch (outcome.kind) {
    case 'refused':
      return { reason: 'refused', cause: String(outcome.response.status) };
    case 'unreachable':
      return { reason: 'unreachable', cause: causeCode(outcome.error) };
    case 'failed':
      return { reason: outcome.reason };
    default:
      return outcome satisfies never;
  }
}

/**
 * Failures that say nothing about the request: transport errors, and the upstream's own errors within a
 * stream.
 */
const PASSING_FAILURES: ReadonlySet<RoundFailure['reason']> = new Set(['truncated', 'upstream_error']);

function delayOf(
  { retryAttempts, heartbeatAt, now }: SearchLoop,
  outcome: BadRound,
  tries: number,
  { client }: LoopOutput,
): number | undefined {
  if (outcome.kind === 'failed' && !PASSING_FAILURES.has(outcome.reason)) return undefined;
  const response = outcome.kind === 'refused' ? outcome.response : undefined;
  const header = (name: string) => response && headerValue(response.headers, name);
  return retryDelayMs(
    {
      status: response?.status,
      retryAfter: header('retry-after'),
      shouldRetry: header('x-should-retry'),
      tries,
    },
    { attempts: retryAttempts, leftMs: client.hasStarted ? STARTED_LEFT_MS : heartbeatAt - 1_000 - now() },
  );
}

/** Resolves after a delay; rejects if the client leaves first. */
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

/** The parts of a later round's failure that decide about a retry. */
export interface FailedTry {
  /** The upstream's status; undefined if there was no response or no complete one. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The value of `x-should-retry`, with which providers decide for their own clients. */
  readonly shouldRetry: string | undefined;
  /** Number of failed attempts so far, including this one. */
  readonly tries: number;
}

/** Limits of retries. */
interface RetryLimits {
  /** Attempts after the first: `upstreams.{name}.retry.attempts`. */
  readonly attempts: number;
  /** Longest possible delay, in milliseconds. */
  readonly leftMs: number;
}

/** Statuses that mean that the same request may succeed later; the official clients retry them, too. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Delay before the first retry, in milliseconds; it doubles with each further one. */
const FIRST_WAIT_MS = 500;

/** Whether a status reports a temporary state. */
function isPassing(status: number): boolean {
  return PASSING.has(status) || status >= 500;
}

/**
 * Returns the delay before the retry of a failed round, in milliseconds; undefined for no retry.
 *
 * The server's `x-should-retry: false` and its own `retry-after` are honoured, though a retry is never sooner
 * than without it; if it exceeds the time left, the error goes to the client.
 */
export function retryDelayMs(
  { status, retryAfter, shouldRetry, tries }: FailedTry,
  { attempts, leftMs }: RetryLimits,
): number | undefined {
  if (tries > attempts || (status !== undefined && !isPassing(status))) return undefined;
  if (shouldRetry?.trim().toLowerCase() === 'false') return undefined;
  const waitMs = Math.max(readRetryAfter(retryAfter), FIRST_WAIT_MS * 2 ** (tries - 1));
  return waitMs <= leftMs ? waitMs : undefined;
}

/**
 * Reads seconds as milliseconds, 0 if there are none; a date, which providers do not use, counts as infinitely far away.
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function readRetryAfter(value: string | undefined): number {
  if (value === undefined || value.trim() === '') return 0;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : Number.POSITIVE_INFINITY;
}

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** The statuses and words of one kind of refusal. */
interface RefusalWords {
  readonly statuses: readonly number[];
  readonly words: RegExp;
}

/** A refusal's text, and the same response, which can still be read. */
interface ReadRefusal {
  readonly text: string;
  readonly response: UpstreamResponse;
}

async function readRefusal(response: UpstreamResponse): Promise<ReadRefusal> {
  const body = new UpstreamBody({ pause: () => {}, resume: () => {}, abort: () => {} });
  let refusal: Buffer = Buffer.alloc(0);
  try {
    refusal = await readUpTo(response.body, MAX_ERROR_BYTES);
    body.push(refusal);
    body.finish();
  } catch (error) {
    body.fail(error as Error);
  }
  return { text: refusal.toString('utf8'), response: { ...response, body } };
}

/**
 * Reads whether an error is a refusal of that kind. Without any words to look for, the result is false and
 * nothing is read.
 */
export async function judgeRefusal(
  response: UpstreamResponse,
  kind: RefusalWords | undefined,
): Promise<{ readonly isMeant: boolean; readonly response: UpstreamResponse }> {
  if (!kind?.statuses.includes(response.status)) return { isMeant: false, response };
  const read = await readRefusal(response);
  return { isMeant: kind.words.test(read.text), response: read.response };
}
