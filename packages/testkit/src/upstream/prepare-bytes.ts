import { type BodyItem, encodeEvents, type StreamSigns } from './encode-events.ts';
import type { Interruption } from './interruption.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';
import type { BytesAnswer } from './scripted-answer.ts';

/** Raw bytes have no format: a keep-alive is a comment, and an error is the script's text. */
const SIGNS: StreamSigns = { ping: undefined, error: ({ message }) => ({ type: 'event', data: message }) };

/** Prepares the script's bytes. */
export function prepareBytes({ body, status = 200, headers = {} }: BytesAnswer): OutgoingAnswer {
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  return { status, headers, body: encodePieces(pieces) };
}

function encodePieces(pieces: Exclude<BytesAnswer['body'], string | Uint8Array>): Generator<BodyItem> {
  return encodeEvents(readPieces(pieces), {}, SIGNS);
}

function* readPieces(pieces: Iterable<string | Uint8Array | Interruption>): Generator<Interruption> {
  for (const piece of pieces) {
    yield typeof piece === 'string' || piece instanceof Uint8Array ? { type: 'bytes', bytes: piece } : piece;
  }
}
