import { Readable } from 'node:stream';
import { Slots } from '../bounds/slots.ts';
import { contentDecoder } from './content-decoder.ts';

/** A body that cannot be decoded: an unknown encoding, broken data, or more than the limit. */
export class UndecodableBody extends Error {}

/**
 * The decoded bytes of a body; the same bytes when they are not encoded, undefined for an encoding that is unknown.
 * Each piece is decoded as soon as it is there. An error of either, and leaving the decoded one, ends both.
 */
export function decodeStream(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
): AsyncIterable<Uint8Array> | undefined {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === 'identity') return body;
  if (decoder === undefined) return undefined;
  const encoded = Readable.from(body, { objectMode: false });
  const decoded = decoder.createStream();
  encoded.on('error', (error) => decoded.destroy(error));
  decoded.on('close', () => encoded.destroy());
  return encoded.pipe(decoded);
}

/** Decoding a whole body in pieces of the usual 16 KiB takes a turn of the event loop for each. */
const PIECE_BYTES = 128 * 1024;

/** Decoders that work at the same time: each may hold 16 MiB of what it has decoded, to copy from. */
const decoding = new Slots(2);

/**
 * The decoded pieces of a whole body, in order. `take` is asked for each before it is kept: where it says no, decoding ends at once, and the
 * result is undefined. Bodies wait for one another.
 *
 * @throws UndecodableBody
 */
export async function decodePieces(
  body: Buffer,
  contentEncoding: string,
  take: (bytes: number) => boolean,
): Promise<Buffer[] | undefined> {
  const pieces: Buffer[] = [];
  const isWhole = await decodeEach(body, contentEncoding, (piece) => {
    const isTaken = take(piece.length);
    if (isTaken) pieces.push(piece);
    return isTaken;
  });
  return isWhole ? pieces : undefined;
}

/**
 * Gives the decoded pieces of a whole body to `onPiece`, one after the other, until there is none or it gives false; the result is whether it got
 * all. Bodies wait for one another. Rejects with what `onPiece` throws as well.
 *
 * @throws UndecodableBody
 */
export async function decodeEach(
  body: Buffer,
  contentEncoding: string | undefined,
  onPiece: (piece: Buffer) => boolean,
): Promise<boolean> {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === 'identity') return onPiece(body);
  if (decoder === undefined) throw new UndecodableBody('unknown content-encoding');
  return decoding.run(async () => {
    const decoded = decoder.createStream({ chunkSize: PIECE_BYTES });
    decoded.end(body);
    for await (const piece of readable(decoded)) {
      if (!onPiece(piece)) return false;
    }
    return true;
  });
}

async function* readable(decoded: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* decoded;
  } catch (cause) {
    throw new UndecodableBody('the body cannot be decoded', { cause });
  }
}

/**
 * The decoded bytes of a whole body, `limitBytes` of them at most.
 *
 * @throws UndecodableBody
 */
export async function decodeWhole(
  body: Buffer,
  contentEncoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> {
  const decoder = contentDecoder(contentEncoding);
  if (decoder === 'identity') return body;
  if (decoder === undefined) throw new UndecodableBody('unknown content-encoding');
  try {
    return await decoder.decode(body, limitBytes);
  } catch (cause) {
    throw new UndecodableBody('the body cannot be decoded', { cause });
  }
}
