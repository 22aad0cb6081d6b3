import type { RoundProblem } from '@winnow/core';
import { causeCode } from '@winnow/service';
import {
  framingFor,
  hiddenNames,
  type Plan,
  type Round,
  type RoundFailure,
  type RoundFinished,
  type RoundSearching,
  type Usage,
} from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { isGood } from '../http/is-good.ts';
import type { ModelPlace } from '../strategies/load-modes.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { LoopOutput, SearchLoop } from './loop-input.ts';
import { type LoopProgress, planToSend } from './loop-progress.ts';
import { type RoundUnread, relayRound } from './relay-round.ts';
import { retryDelayMs } from './retry-delay.ts';

/** The outcome of one round, after all attempts. */
export type RoundOutcome =
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
 * A later round that fails temporarily (408, 409, 429, 5xx, transport errors) is retried as long as the
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
    const outcome = await withoutIdsWhereRefused(tried, loop, progress, output);
    if (outcome.kind === 'searching' || outcome.kind === 'finished') return outcome;
    if (outcome.kind === 'unread') {
      loop.tell({ kind: 'round_failed', round: 1, reason: 'held_too_much' });
      return outcome;
    }
    const round = progress.rounds.length + 1;
    loop.tell({ kind: 'round_failed', round, ...describe(outcome) });
    const waitMs = round === 1 ? undefined : delayOf(loop, outcome, tries, output);
    if (waitMs === undefined || !output.client.takeBack(mark)) return outcome;
    if (outcome.kind === 'refused') outcome.response.body.destroy();
    output.joiner.abandonRound();
    await waitFor(loop, waitMs);
  }
}

/**
 * Retries without the ids of hidden items if the upstream refuses ids that it has not stored, and remembers
 * that refusal.
 */
async function withoutIdsWhereRefused(
  outcome: RoundOutcome,
  loop: SearchLoop,
  progress: LoopProgress,
  output: LoopOutput,
): Promise<RoundOutcome> {
  const { exchange, hiddenTurns, unstoredItems, tell } = loop;
  const hasHidden = progress.rounds.length > 0 || hiddenTurns.length > 0;
  if (outcome.kind !== 'refused' || !hasHidden || unstoredItems.isRefusedBy(placeOf(loop))) return outcome;
  const { isMeant, response } = await judgeRefusal(
    outcome.response,
    exchange.format.capabilities.storedResponses?.unstoredRefusal,
  );
  if (!isMeant) return { kind: 'refused', response };
  response.body.destroy();
  unstoredItems.noteRefusal(placeOf(loop));
  tell({ kind: 'round_failed', round: progress.rounds.length + 1, ...describe(outcome) });
  return tryRound(loop, progress, output);
}

function placeOf({ exchange, view }: SearchLoop): ModelPlace {
  return { upstream: exchange.target.upstream, model: view.model };
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
  const { hold, limitBytes } = loop;
  const isFirst = progress.rounds.length === 0;
  const hidden = hiddenNames(loop.plan);
  const shape = framing.isStream ? 'stream' : 'whole';
  // Binary frames cannot be scanned for names without parsing them.
  const mayPassUnread = isFirst && framing.isText;
  const room = { hold, limitBytes, shape, hidden, mayPassUnread } as const;
  const before = joiner.usage;
  const { every, pause } = loop;
  const end = await relayRound({ response, framing, joiner, client, signal, every, pause, room });
  const { usage, notices } = joiner;
  const round = progress.rounds.length + 1;
  tell({ kind: 'round_ended', round, usage: usageSince(before, usage), ...(notices && { notices }) });
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

/**
 * Sends the request of one round. `shown` is the plan for editing it, and `plan` the plan for its headers.
 */
export function sendRound(loop: SearchLoop, rounds: readonly Round[], plan: Plan, shown = plan) {
  const { exchange, view, hiddenTurns, dropsThinking, unstoredItems, alias, sender } = loop;
  const dropsIds = unstoredItems.isRefusedBy(placeOf(loop));
  const past = { hiddenTurns, rounds, dropsThinking, dropsIds, alias };
  return sender.sendEdited(exchange.format.editing.editRequest(view, shown, past), view, plan);
}

async function send(
  loop: SearchLoop,
  progress: LoopProgress,
): Promise<UpstreamResponse | Extract<RoundOutcome, { kind: 'unreachable' }>> {
  const { signal } = loop.exchange;
  signal.throwIfAborted();
  const sending = sendRound(loop, progress.rounds, progress.plan, planToSend(progress));
  try {
    return await sending;
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'unreachable', error };
  }
}

/** Describes a failed outcome as a fact. */
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
