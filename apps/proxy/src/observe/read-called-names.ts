import { Readable } from 'node:stream';
import { decodeStream } from '@winnow/service';
import {
  BudgetExceeded,
  eventText,
  type Format,
  framingFor,
  isReadable,
  MalformedFrames,
  type RequestView,
  readEvents,
  type Usage,
} from '@winnow/wire';
import { isTransportError } from '../http/is-transport-error.ts';
import { bypass } from '../strategies/bypass.ts';

/** A copy of a response. */
export interface CopiedResponse {
  /** The bytes as sent, possibly encoded; incomplete if the response broke off. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
}

/** The findings about a response. */
export interface ReadResponse {
  /** Names of the tools that the model called, in order. */
  readonly calledNames: readonly string[];
  readonly usage: Usage | undefined;
}

/** Maximum number of decoded bytes to read: far above any response, far below a harmful size. */
const DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Reads the model's tool calls from a response, streamed or not; undefined if it is incomplete, too large to
 * read, or of another format.
 */
export async function readCalledNames(
  { bytes, contentType, contentEncoding }: CopiedResponse,
  format: Pick<Format, 'joining'>,
  view: RequestView,
): Promise<ReadResponse | undefined> {
  const decoded = decodeStream(Readable.from([bytes]), contentEncoding);
  if (!decoded) return undefined;
  const framing = framingFor(format, view, contentType);
  const joiner = format.joining.joinResponses(view, bypass('passthrough'));
  try {
    for await (const event of readEvents(upTo(decoded, DECODED_BYTES), framing)) {
      if (isReadable(eventText(event))) joiner.feed(event);
    }
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof MalformedFrames) return undefined;
    if (!isTransportError(error)) throw error;
    // The bytes ended early; the joiner knows how much of the response had arrived.
  }
  const end = joiner.endRound();
  if (end.kind === 'failed') return undefined;
  return { calledNames: end.turn.realCalls.map((call) => call.name), usage: joiner.usage };
}

async function* upTo(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limitBytes) return;
    yield piece;
  }
}
