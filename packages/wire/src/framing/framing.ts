import type { WireEvent } from './wire-event.ts';

/**
 * How events stand in the bytes of a body.
 *
 * Contract, proved for every framing by `test/framing/framing-contract.ts`:
 * - However the bytes are cut, the events are the same, each as soon as its bytes are there.
 * - What is decoded and encoded again in the same framing, untouched and complete, is the same bytes, but for a byte order mark and bytes that are
 *   no UTF-8. Left-out, changed and added events leave the rest well formed.
 * - What is held of an unfinished event is bounded, and the time is linear in the number of bytes.
 */
export interface Framing {
  readonly name: string;
  /** Content types of bodies in it, in small letters and without parameters. */
  readonly contentTypes: readonly string[];
  /** Whether such a body is a stream of events, to be read while it comes. */
  readonly isStream: boolean;
  /** Whether its bytes are text, so that what the events say can be looked for in them. */
  readonly isText: boolean;
  /** A decoder for one body; `limitChars` is how much of an unfinished event may be held. */
  createDecoder(limitChars: number): FrameDecoder;
  /** An encoder for one body. */
  createEncoder(): FrameEncoder;
}

/** Turns the bytes of one body into events. */
export interface FrameDecoder {
  /** The events that these bytes complete. */
  push(bytes: Uint8Array): readonly WireEvent[];
  /** The events that the end of the body completes. */
  end(): readonly WireEvent[];
  /** Whether an event was beyond the limit: then there are no more, and the rest of the body need not be read. */
  readonly isOverflown: boolean;
  /** Whether bytes came that are none of this framing: then there are no more events either. A framing that reads whatever comes does without. */
  readonly isMalformed?: boolean;
}

/** Turns events into the bytes of one body. */
export interface FrameEncoder {
  /** The bytes of the next events; empty for events that have none in this framing. */
  encode(events: readonly WireEvent[]): Frames;
  /** What stands behind the last event. */
  end(): Frames;
}

/** Bytes of a body; text where all of them are UTF-8. */
export type Frames = string | Uint8Array;
