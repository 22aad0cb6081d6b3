import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  constants as zlib,
  zstdDecompress,
} from 'node:zlib';

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
const ZSTD_PARAMS = { [zlib.ZSTD_d_windowLogMax]: 24 };

/** A window of 32 KiB, and tables. */
const DEFLATE_BYTES = 64 * 1024;
/** The largest window. */
const LARGE_WINDOW_BYTES = 2 ** 24;

const GZIP: ContentDecoder = {
  memoryBytes: DEFLATE_BYTES,
  createStream: (options) => createGunzip(options),
  decode: (body, limitBytes) => promisify(gunzip)(body, { maxOutputLength: limitBytes }),
};

const DECODERS: Readonly<Record<string, ContentDecoder>> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  deflate: {
    memoryBytes: DEFLATE_BYTES,
    createStream: (options) => createInflate(options),
    decode: (body, limitBytes) => promisify(inflate)(body, { maxOutputLength: limitBytes }),
  },
  br: {
    memoryBytes: LARGE_WINDOW_BYTES,
    createStream: (options) => createBrotliDecompress(options),
    decode: (body, limitBytes) => promisify(brotliDecompress)(body, { maxOutputLength: limitBytes }),
  },
  zstd: {
    memoryBytes: LARGE_WINDOW_BYTES,
    createStream: (options) => createZstdDecompress({ ...options, params: ZSTD_PARAMS }),
    decode: (body, limitBytes) =>
      promisify(zstdDecompress)(body, { maxOutputLength: limitBytes, params: ZSTD_PARAMS }),
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
