import type { StreamEvent, WholeBody } from '../framing/framing.ts';

/** An event that may hold calls. */
export type CallEvent = StreamEvent | WholeBody;

/** A part of a call in an event. */
export interface CallPart {
  /** Identifies the call among those of the response. */
  readonly call: number;
  /** The name, or a piece of it; absent when the part has none. */
  readonly name?: string | undefined;
  /**
   * The next piece of the arguments as JSON text; absent when the part has none. An empty object at the start
   * of a call whose arguments follow is none.
   */
  readonly arguments?: string | undefined;
  /** Whether `arguments` is the whole of them: again, where pieces came before. */
  readonly isWhole?: boolean;
  /** Whether nothing of the call follows. */
  readonly isEnd?: boolean;
}

/** The changes of a part. Members that are absent stay as they are. */
export interface PartChange {
  /** The new name; null removes it. */
  readonly name?: string | null;
  /** The new piece of the arguments as JSON text, of the same encoding as in `CallPart`. */
  readonly arguments?: string;
}

/**
 * The changes of an event, one for each part of it: undefined leaves a part as it is, `drop` removes it.
 */
export type PartChanges = readonly (PartChange | 'drop' | undefined)[];

/**
 * Reads and rewrites the calls in the events of one response, in the format's own event language.
 *
 * Contract: for one response, whole or streamed; takes events in order. `rewrite` may be called for an event
 * later than `partsOf`, in the same order. Never throws, whatever an upstream sends.
 */
export interface CallEvents {
  /** Returns the parts of calls in an event, in order; empty for any other event. */
  partsOf(event: CallEvent): readonly CallPart[];
  /** Whether no part of any call follows: the end of the response, or an error. */
  endsCalls(event: CallEvent): boolean;
  /** Returns the event with changed parts; undefined when nothing is left of it. */
  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined;
}
