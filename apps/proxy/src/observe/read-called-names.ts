import { Readable } from 'node:stream';
import { type Format, type RequestView, readEvents, type Usage } from '@winnow/wire';
import { bypass } from '../strategies/bypass.ts';
import { decodeStream } from '../upstream/decode-body.ts';
import { isTransportError } from '../upstream/is-transport-error.ts';

/** An answer as its bytes passed by. */
export interface CopiedAnswer {
  /** As sent, encoded or not; only a part when the answer broke off. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
}

/** What an answer tells about the tools. */
export interface ReadAnswer {
  /** Names of the tools that the model called, in order. */
  readonly calledNames: readonly string[];
  readonly usage: Usage | undefined;
}

/** Decoded bytes beyond this are not read: far beyond any answer, far below what would hurt. */
const DECODED_BYTES = 64 * 1024 * 1024;

/** Reads which tools the model called in an answer, whole or streamed; undefined when it is not whole or not of this format. */
export async function readCalledNames(
  { bytes, contentType, contentEncoding }: CopiedAnswer,
  format: Format,
  view: RequestView,
): Promise<ReadAnswer | undefined> {
  const decoded = decodeStream(Readable.from([bytes]), contentEncoding);
  if (!decoded) return undefined;
  const joiner = format.joinAnswers(view, bypass('passthrough'));
  try {
    for await (const event of readEvents(upTo(decoded, DECODED_BYTES), contentType)) joiner.feed(event);
  } catch (error) {
    if (!isTransportError(error)) throw error;
    // The bytes ended early; how much of the answer was there, the joiner knows.
  }
  const end = joiner.endRound();
  if (end.kind === 'failed') return undefined;
  return { calledNames: end.turn.realCalls.map((call) => call.name), usage: joiner.usage };
}

async function* upTo(body: Readable, limitBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const piece of body) {
    size += (piece as Uint8Array).length;
    if (size > limitBytes) return;
    yield piece as Uint8Array;
  }
}
