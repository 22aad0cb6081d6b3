import type { Frames, Framing, WireEvent } from '../src/framing/framing.ts';
import { json } from '../src/framing/framings.ts';
import { sse } from '../src/framing/sse.ts';

/** Returns the events of a body cut at these places. */
export function decodeAll(
  framing: Framing,
  pieces: Iterable<Uint8Array>,
  limitChars = Number.MAX_SAFE_INTEGER,
): WireEvent[] {
  const decoder = framing.createDecoder(limitChars);
  return [...[...pieces].flatMap((bytes) => decoder.push(bytes)), ...decoder.end()];
}

/**
 * Returns the bytes of a body that a test has as a string; in a binary framing, each character is one byte.
 */
export function bytesOf({ isText }: Framing, text: string): Uint8Array {
  return Buffer.from(text, isText ? 'utf8' : 'latin1');
}

/** Returns the string that tests use for a body. */
export function textOf({ isText }: Framing, bytes: Frames): string {
  return Buffer.from(bytes as string).toString(isText ? 'utf8' : 'latin1');
}

/** Returns the body that these events form. */
export function encodeAll(framing: Framing, events: readonly WireEvent[]): string {
  const encoder = framing.createEncoder();
  const pieces = [...events.map((event) => encoder.encode([event])), encoder.end()];
  return textOf(framing, Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
}

/** Returns everything that a client gets in an exchange, in its own framing. */
export class ClientBody {
  readonly #framing: Framing;
  readonly #encoder;
  text = '';

  constructor(isStream: boolean, framing: Framing = sse) {
    this.#framing = isStream ? framing : json;
    this.#encoder = this.#framing.createEncoder();
  }

  write(events: readonly WireEvent[]): void {
    this.text += textOf(this.#framing, this.#encoder.encode(events));
  }

  end(): string {
    this.text += textOf(this.#framing, this.#encoder.end());
    return this.text;
  }
}
