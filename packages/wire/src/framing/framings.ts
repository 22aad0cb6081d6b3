import { awsEventStream } from './aws-event-stream.ts';
import type { FrameDecoder, Framing, WireEvent } from './framing.ts';
import { jsonArray } from './json-array.ts';
import { ndjson } from './ndjson.ts';
import { sse } from './sse.ts';

/** A body in one piece, JSON or not: one event at its end. */
export const json: Framing = {
  name: 'json',
  contentTypes: ['application/json'],
  isStream: false,
  isText: true,
  createDecoder: (limitChars) => new WholeDecoder(limitChars),
  createEncoder: () => ({ encode: (events) => events.map(toText).join(''), end: () => '' }),
};

class WholeDecoder implements FrameDecoder {
  isOverflown = false;
  readonly #limitChars: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #pieces: string[] = [];
  #chars = 0;

  constructor(limitChars: number) {
    this.#limitChars = limitChars;
  }

  push(bytes: Uint8Array): WireEvent[] {
    if (this.isOverflown) return [];
    const piece = this.#decoder.decode(bytes, { stream: true });
    this.#chars += piece.length;
    this.isOverflown = this.#chars > this.#limitChars;
    if (this.isOverflown) this.#pieces.length = 0;
    else this.#pieces.push(piece);
    return [];
  }

  end(): WireEvent[] {
    if (this.isOverflown) return [];
    return [{ kind: 'whole', text: this.#pieces.join('') + this.#decoder.decode() }];
  }
}

/** Returns the text of an event. A body in one piece has no place for comments. */
function toText(event: WireEvent): string {
  if (event.kind === 'comment') return '';
  return event.kind === 'whole' ? event.text : event.data;
}

/** Every framing of bodies. */
const FRAMINGS: readonly Framing[] = [sse, ndjson, jsonArray, awsEventStream, json];

const BY_CONTENT_TYPE: ReadonlyMap<string, Framing> = new Map(
  FRAMINGS.flatMap((framing) => framing.contentTypes.map((contentType) => [contentType, framing])),
);

/**
 * Returns the framing of a body with this content type, ignoring its parameters; `json` for an unknown type,
 * which is read in one piece.
 */
export function framingOf(contentType: string | undefined): Framing {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return BY_CONTENT_TYPE.get(type.trim().toLowerCase()) ?? json;
}
