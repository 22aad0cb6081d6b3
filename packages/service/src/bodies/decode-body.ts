import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { Slots } from '../bounds/shares.ts';

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

/** The decoder of one content encoding. */
export interface ContentDecoder {
  /** The most memory that decoding takes in addition to the decoded bytes. */
  readonly memoryBytes: number;
  readonly createStream: (options?: DecodingOptions) => Transform;
  /** Rejects for broken data, and for more than `limitBytes` of decoded bytes. */
  readonly decode: (body: Buffer, limitBytes: number) => Promise<Buffer>;
}

/** The options of a decoding stream. */
interface DecodingOptions {
  /** Maximum size of a decoded piece, in bytes; 16 KiB by default, as in Node. */
  readonly chunkSize?: number;
}

/** The supported encodings, as `Accept-Encoding` lists them. */
export const ACCEPTED_ENCODINGS = 'gzip, br, zstd, deflate';

/**
 * The most memory that a frame may request: 2^24 bytes. Encoders of HTTP bodies use at most 2^23:
 * https://www.rfc-editor.org/rfc/rfc9659
 */
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 24 };

/** A window of 32 KiB, and tables. */
const DEFLATE_BYTES = 64 * 1024;
/** The largest window. */
const LARGE_WINDOW_BYTES = 2 ** 24;

const GZIP: ContentDecoder = {
  memoryBytes: DEFLATE_BYTES,
  createStream: (options) => zlib.createGunzip(options),
  decode: (body, limitBytes) => promisify(zlib.gunzip)(body, { maxOutputLength: limitBytes }),
};

const DECODERS: Readonly<Record<string, ContentDecoder>> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  deflate: {
    memoryBytes: DEFLATE_BYTES,
    createStream: (options) => zlib.createInflate(options),
    decode: (body, limitBytes) => promisify(zlib.inflate)(body, { maxOutputLength: limitBytes }),
  },
  br: {
    memoryBytes: LARGE_WINDOW_BYTES,
    createStream: (options) => zlib.createBrotliDecompress(options),
    decode: (body, limitBytes) => promisify(zlib.brotliDecompress)(body, { maxOutputLength: limitBytes }),
  },
  zstd: {
    memoryBytes: LARGE_WINDOW_BYTES,
    createStream: (options) => zlib.createZstdDecompress({ ...options, params: ZSTD_PARAMS }),
    decode: (body, limitBytes) =>
      promisify(zlib.zstdDecompress)(body, { maxOutputLength: limitBytes, params: ZSTD_PARAMS }),
  },
};

/**
 * Returns the decoder for a `Content-Encoding`: `identity` when there is nothing to decode, undefined when it
 * is unknown.
 *
 * A list such as `gzip, br` counts as unknown: no client needs it, and each layer multiplies the effect of a
 * bomb.
 */
export function contentDecoder(contentEncoding: string | undefined): ContentDecoder | 'identity' | undefined {
  const name = contentEncoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return 'identity';
  return Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
}
