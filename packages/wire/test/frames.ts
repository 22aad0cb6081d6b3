import type { Frames, Framing } from '../src/framing/framing.ts';
import { json } from '../src/framing/json.ts';
import { sse } from '../src/framing/sse.ts';
import type { WireEvent } from '../src/framing/wire-event.ts';

/** The events of a body, however it is cut. */
export function decodeAll(
  framing: Framing,
  pieces: Iterable<Uint8Array>,
  limitChars = Number.MAX_SAFE_INTEGER,
): WireEvent[] {
  const decoder = framing.createDecoder(limitChars);
  return [...[...pieces].flatMap((bytes) => decoder.push(bytes)), ...decoder.end()];
}

/** The bytes of a body that a test has as a string; where the framing is not made of text, each character is one byte. */
export function bytesOf({ isText }: Framing, text: string): Uint8Array {
  return Buffer.from(text, isText ? 'utf8' : 'latin1');
}

/** A body as the string that tests have of it. */
export function textOf({ isText }: Framing, bytes: Frames): string {
  return Buffer.from(bytes as string).toString(isText ? 'utf8' : 'latin1');
}

/** The body that these events make. */
export function encodeAll(framing: Framing, events: readonly WireEvent[]): string {
  const encoder = framing.createEncoder();
  const pieces = [...events.map((event) => encoder.encode([event])), encoder.end()];
  return textOf(framing, Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
}

/** What a client gets of an exchange: everything that is written, in the framing of its side. */
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
