import { Readable } from 'node:stream';
import { Slots } from '../bounds/slots.ts';
import { contentDecoder } from './content-decoder.ts';

/** A body that cannot be decoded: an unknown encoding, broken data, or more bytes than the limit. */
export class UndecodableBody extends Error {}

/**
 * Returns the decoded bytes of a body; the same bytes when they are not encoded, undefined for an unknown
 * encoding. Each piece is decoded as soon as it arrives. An error in the body or its decoded stream, and
 * leaving the decoded stream, ends both.
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

/** The size of decoded pieces. Pieces of the usual 16 KiB would take one turn of the event loop each. */
const PIECE_BYTES = 128 * 1024;

/** Limits the decoders that run at the same time: each may hold 16 MiB of decoded bytes as its window. */
const decoding = new Slots(2);

/**
 * Returns the decoded pieces of a whole body, in order. `take` is called before each piece is kept; if it
 * returns false, decoding ends at once and the result is undefined. Bodies wait for one another.
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
 * Passes the decoded pieces of a whole body to `onPiece`, one after the other, until the end or until it
 * returns false. Resolves to whether all were passed. Bodies wait for one another. Rejects with the errors of
 * `onPiece` as well.
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
 * Returns the decoded bytes of a whole body, at most `limitBytes`.
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
