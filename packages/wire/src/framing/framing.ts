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

/** A part of a body in any framing. */
export type WireEvent = StreamEvent | StreamComment | WholeBody;

export interface StreamEvent {
  readonly kind: 'event';
  /** Undefined when the stream does not name it, or its framing has no names. */
  readonly name?: string | undefined;
  /** The event's id. No provider's client needs it, but it is passed on. */
  readonly id?: string | undefined;
  /** The event's data, usually JSON. */
  readonly data: string;
  /**
   * Whether the framing itself marks the event as an error. False by default; most framings have no such
   * mark.
   */
  readonly isError?: true | undefined;
  /** Absent when the event was created or changed by Winnow. */
  readonly source?: FrameSource | undefined;
}

/**
 * A part of a stream without an event: a comment, with which upstreams keep connections alive, or a blank
 * line.
 */
interface StreamComment {
  readonly kind: 'comment';
  /** Empty for a blank line. */
  readonly text: string;
  readonly source?: FrameSource | undefined;
}

/** A response that is not a stream: its body in one piece. */
export interface WholeBody {
  readonly kind: 'whole';
  readonly text: string;
}

/** The original bytes of an event, which its framing writes again. */
interface FrameSource {
  /** The framing's name. */
  readonly framing: string;
  /** Empty when the framing is not text. */
  readonly text: string;
  /** The bytes when the framing is not text. */
  readonly bytes?: Uint8Array;
}

export function eventText(event: WireEvent): string {
  return event.kind === 'event' ? event.data : event.text;
}

/** Returns the event with other data; the same event when the data is equal. */
export function withData(event: StreamEvent, data: string): StreamEvent {
  if (data === event.data) return event;
  const { name, id, isError } = event;
  return { kind: 'event', name, id, data, ...(isError && { isError }) };
}

/** Returns an event or a whole body with another text. */
export function withText(event: StreamEvent | WholeBody, text: string): StreamEvent | WholeBody {
  return event.kind === 'whole' ? { ...event, text } : withData(event, text);
}

/**
 * The text of an unfinished event, in the pieces in which it arrived. At most `limitChars` UTF-16 code units.
 */
export class HeldText {
  /** Whether an unfinished event exceeded the limit; its text is dropped. */
  isOverflown = false;
  readonly #limitChars: number;
  #pieces: string[] = [];
  #chars = 0;

  constructor(limitChars: number) {
    this.#limitChars = limitChars;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  hold(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#chars += text.length;
    this.isOverflown = this.#chars > this.#limitChars;
    if (this.isOverflown) this.#pieces = [];
  }

  /** Returns the held text with its end appended, and clears it. */
  release(text: string): string {
    if (this.#pieces.length === 0) return text;
    const held = this.#pieces.join('') + text;
    this.#pieces = [];
    this.#chars = 0;
    return held;
  }
}

/** Decodes text whose events are complete at their last character. */
export abstract class TextDecoding implements FrameDecoder {
  protected readonly held: HeldText;
  readonly #decoder = new TextDecoder();

  constructor(limitChars: number) {
    this.held = new HeldText(limitChars);
  }

  /** Returns the complete events of a piece, and holds its rest. */
  protected abstract take(text: string): WireEvent[];
  /** Returns the event in the rest of a body, which is not empty. */
  protected abstract toLast(rest: string): WireEvent;

  get isOverflown(): boolean {
    return this.held.isOverflown;
  }

  push(bytes: Uint8Array): WireEvent[] {
    return this.isOverflown ? [] : this.take(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): WireEvent[] {
    if (this.isOverflown) return [];
    const events = this.take(this.#decoder.decode());
    const rest = this.held.release('');
    return rest === '' ? events : [...events, this.toLast(rest)];
  }
}
