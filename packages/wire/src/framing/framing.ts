import type { WireEvent } from './wire-event.ts';

/**
 * The encoding of events in the bytes of a body.
 *
 * Contract, which `test/framing/framing-contract.ts` checks for every framing:
 * - The events are the same however the bytes are split, and each is available as soon as its bytes are.
 * - Decoding and encoding an untouched, complete body in the same framing gives the same bytes, except for a
 *   byte order mark and invalid UTF-8. Dropped, changed and added events leave the rest well formed.
 * - The held part of an unfinished event is bounded, and the time is linear in the number of bytes.
 */
export interface Framing {
  readonly name: string;
  /** Content types of such bodies, in lower case and without parameters. */
  readonly contentTypes: readonly string[];
  /** Whether such a body is a stream of events, to be read as it arrives. */
  readonly isStream: boolean;
  /** Whether the bytes are text, so that a search in them finds the texts of events. */
  readonly isText: boolean;
  /** Returns a decoder for one body. `limitChars` limits the held part of an unfinished event. */
  createDecoder(limitChars: number): FrameDecoder;
  /** Returns an encoder for one body. */
  createEncoder(): FrameEncoder;
}

/** Turns the bytes of one body into events. */
export interface FrameDecoder {
  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): readonly WireEvent[];
  /** Returns the events that the end of the body completes. */
  end(): readonly WireEvent[];
  /**
   * Whether an event exceeded the limit. No more events follow, and the rest of the body need not be read.
   */
  readonly isOverflown: boolean;
  /**
   * Whether the body has bytes that are invalid in this framing. No more events follow. Absent for framings
   * that accept any bytes.
   */
  readonly isMalformed?: boolean;
}

/** Turns events into the bytes of one body. */
export interface FrameEncoder {
  /** Returns the bytes of the next events; empty for events without bytes in this framing. */
  encode(events: readonly WireEvent[]): Frames;
  /** Returns the bytes after the last event. */
  end(): Frames;
}

/** Bytes of a body; a string when all of them are UTF-8. */
export type Frames = string | Uint8Array;
