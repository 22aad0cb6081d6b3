import type { Framing } from '../src/framing/framing.ts';
import { json } from '../src/framing/json.ts';
import { sse } from '../src/framing/sse.ts';
import type { WireEvent } from '../src/wire-event.ts';

/** The events of a body, however it is cut. */
export function decodeAll(
  framing: Framing,
  pieces: Iterable<Uint8Array>,
  limitChars = Number.MAX_SAFE_INTEGER,
): WireEvent[] {
  const decoder = framing.createDecoder(limitChars);
  return [...[...pieces].flatMap((bytes) => decoder.push(bytes)), ...decoder.end()];
}

/** The body that these events make. */
export function encodeAll(framing: Framing, events: readonly WireEvent[]): string {
  const encoder = framing.createEncoder();
  const pieces = [...events.map((event) => encoder.encode([event])), encoder.end()];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).toString();
}

/** What a client gets of an exchange: everything that is written, in the framing of its side. */
export class ClientBody {
  readonly #encoder;
  text = '';

  constructor(isStream: boolean, framing: Framing = sse) {
    this.#encoder = (isStream ? framing : json).createEncoder();
  }

  write(events: readonly WireEvent[]): void {
    this.text += Buffer.from(this.#encoder.encode(events) as string).toString();
  }

  end(): string {
    this.text += Buffer.from(this.#encoder.end() as string).toString();
    return this.text;
  }
}
