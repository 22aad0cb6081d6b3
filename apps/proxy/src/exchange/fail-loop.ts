import type { RestoreReason } from '@winnow/core';
import { decodeStream } from '@winnow/service';
import {
  eventText,
  type HiddenNames,
  hiddenNames,
  type RoundFailure,
  type WireEvent,
  withData,
} from '@winnow/wire';
import { headerValue } from '../http/headers.ts';
import { ProxyError } from '../http/proxy-error.ts';
import { readUpTo } from '../http/read-up-to.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import type { BadRound } from './ask-round.ts';
import type { Ending } from './format-exchange.ts';
import type { LoopOutput, SearchLoop } from './loop-input.ts';
import type { LoopProgress } from './loop-progress.ts';

/** The end of a loop. Unless it is `over`, the client has received nothing yet. */
export type LoopEnd =
  | { readonly kind: 'over'; readonly ending: Ending }
  /** The upstream answered a request with an error; the response is yet to be read. */
  | { readonly kind: 'refused'; readonly response: UpstreamResponse; readonly because: RestoreReason }
  /** A response was unusable. */
  | { readonly kind: 'failed'; readonly because: RestoreReason };

/**
 * Ends a loop after a failed round. As long as the client has received nothing, the caller decides between
 * the upstream's error and the original bytes. After the head of a stream, only an error in the client's
 * format is left, with the upstream's text.
 */
export async function failLoop(
  loop: SearchLoop,
  progress: LoopProgress,
  outcome: BadRound,
  output: LoopOutput,
): Promise<LoopEnd> {
  const isLater = progress.rounds.length > 0;
  if (output.client.hasStarted) return failInStream(loop, progress, await toFailure(outcome), output);
  if (outcome.kind === 'unreachable') throw outcome.error;
  if (outcome.kind === 'refused') {
    const because = isLater ? 'later_round_failed' : 'upstream_rejected_edit';
    return { kind: 'refused', response: outcome.response, because };
  }
  const isUnreadable = outcome.reason === 'malformed_answer' || outcome.reason === 'held_too_much';
  if (isUnreadable) return { kind: 'failed', because: isLater ? 'later_round_failed' : 'answer_unreadable' };
  // A client that has nothing of a response retries it, but not an error within a stream.
  if (outcome.reason === 'truncated' && (isLater || !output.joiner.hasStarted)) {
    throw new ProxyError('upstream_unreachable', 'The upstream ended its response too early.');
  }
  return failInStream(loop, progress, outcome, output);
}

/** Maximum size of an error to read, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

async function toFailure(outcome: BadRound): Promise<RoundFailure> {
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind === 'unreachable') {
    return { kind: 'failed', reason: 'interrupted', message: 'The upstream could not be reached.' };
  }
  const { status, headers, body } = outcome.response;
  const message = `The upstream answered with status ${status}.`;
  const failure = { kind: 'failed', reason: 'interrupted', message } as const;
  try {
    const decoded = decodeStream(body, headerValue(headers, 'content-encoding')) ?? body;
    const text = (await readUpTo(decoded, MAX_ERROR_BYTES)).toString('utf8');
    return { ...failure, refusal: { status, body: text } };
  } catch {
    // The body broke off; the status is still known.
    return { ...failure, refusal: { status, body: '' } };
  }
}

async function failInStream(
  { exchange, view }: SearchLoop,
  { plan }: LoopProgress,
  failure: RoundFailure,
  { client, joiner }: LoopOutput,
): Promise<LoopEnd> {
  exchange.signal.throwIfAborted();
  const events = joiner.fail(failure).map((event) => withoutNames(event, hiddenNames(plan)));
  await client.fail(events, view.isStream || failure.reason === 'upstream_error');
  return { kind: 'over', ending: { outcome: 'failed', status: exchange.response.status } };
}

/** Removes the names of hidden tools from an upstream's error, as the client does not know these tools. */
function withoutNames(event: WireEvent, hidden: HiddenNames): WireEvent {
  if (event.kind === 'comment' || !hidden.areIn(eventText(event))) return event;
  const text = hidden.all.reduce((said, name) => said.replaceAll(name, 'a tool'), eventText(event));
  return event.kind === 'event' ? withData(event, text) : { ...event, text };
}
