import type { RoundFailure } from '../format/response-joiner.ts';
import type { StreamEvent } from '../framing/wire-event.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { roundFailure } from './round-failure.ts';
import { type ExchangeState, NOTHING, type Step } from './round-joiner.ts';

/** State of an exchange whose streams are chunks that all have one shape, that of a whole response. */
export interface ChunkState extends ExchangeState {
  /** An error that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
  /** An event that is no chunk. It reaches the client when another follows; as the last event it is a chunk that was cut. */
  readonly unread: StreamEvent | undefined;
  /** The whole body; empty until it is there. */
  readonly body: string;
  /** Whether that is no response of the format. */
  readonly isBroken: boolean;
}

/** How each round begins. */
export const CHUNK_START = { error: undefined, unread: undefined, body: '', isBroken: false } as const;

/** Takes an event of a stream, after what is still to be said of the one before. Nothing follows an error. */
export function takeNext<State extends ChunkState>(
  state: State,
  event: StreamEvent,
  hidden: HiddenNames,
  take: (state: State, event: StreamEvent) => Step<State>,
): Step<State> {
  const { error, unread } = state;
  if (error !== undefined) return { state, events: NOTHING };
  if (unread === undefined) return take(state, event);
  if (hidden.areIn(unread.data)) return take({ ...state, unread: undefined }, event);
  const step = take({ ...state, unread: undefined, hasShown: true }, event);
  return { ...step, events: [unread, ...step.events] };
}

/**
 * The failure of a round that has ended; undefined for a good one. The client gets a first body that is no response as it is: that is what it
 * would have got without Winnow.
 */
export function chunkFailure(
  { error, isBroken, rounds, body }: ChunkState,
  hidden: HiddenNames,
  { isOverfull, isComplete }: { readonly isOverfull: boolean; readonly isComplete: boolean },
): RoundFailure | undefined {
  if (error !== undefined) return roundFailure('upstream_error');
  if (isOverfull) return roundFailure('held_too_much');
  if (!isBroken) return isComplete ? undefined : roundFailure('truncated');
  return rounds === 1 && !hidden.areIn(body) ? undefined : roundFailure('malformed_answer');
}
