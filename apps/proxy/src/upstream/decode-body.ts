import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib';

const DECODERS = {
  gzip: { stream: createGunzip, whole: promisify(gunzip) },
  'x-gzip': { stream: createGunzip, whole: promisify(gunzip) },
  deflate: { stream: createInflate, whole: promisify(inflate) },
  br: { stream: createBrotliDecompress, whole: promisify(brotliDecompress) },
  zstd: { stream: createZstdDecompress, whole: promisify(zstdDecompress) },
} as const;

type Encoding = keyof typeof DECODERS;

/** A body that cannot be decoded: an unknown encoding, broken data, or more than the limit. */
export class UndecodableBody extends Error {}

/**
 * A stream of the decoded bytes of an answer; the same stream when it is not encoded, undefined for an encoding that is unknown.
 * Each piece is decoded as soon as it is there. An error of either stream, and closing the decoded one, ends both.
 */
export function decodeStream(body: Readable, contentEncoding: string | undefined): Readable | undefined {
  const encoding = readEncoding(contentEncoding);
  if (encoding === 'identity') return body;
  if (encoding === undefined) return undefined;
  const decoded = DECODERS[encoding].stream();
  body.on('error', (error) => decoded.destroy(error));
  decoded.on('close', () => body.destroy());
  return body.pipe(decoded);
}

/**
 * The decoded bytes of a request's body, `limitBytes` of them at most.
 *
 * @throws UndecodableBody
 */
export async function decodeWhole(
  body: Buffer,
  contentEncoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> {
  const encoding = readEncoding(contentEncoding);
  if (encoding === 'identity') return body;
  if (encoding === undefined) throw new UndecodableBody('unknown content-encoding');
  try {
    return await DECODERS[encoding].whole(body, { maxOutputLength: limitBytes });
  } catch (cause) {
    throw new UndecodableBody('the body cannot be decoded', { cause });
  }
}

function readEncoding(contentEncoding: string | undefined): Encoding | 'identity' | undefined {
  const name = contentEncoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return 'identity';
  return Object.hasOwn(DECODERS, name) ? (name as Encoding) : undefined;
}
