import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Random } from '../random.ts';

/** A body as sent, with its `content-encoding`. */
export interface EncodedBody {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly encoding: string | undefined;
}

/** Encoders by their HTTP names. */
const ENCODERS = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
} as const;

/**
 * Encodes a body as a hostile client may: correctly, incorrectly, in part, or as a bomb that unpacks to
 * `bombBytes`.
 */
export function encodeHostile(random: Random, body: Buffer, bombBytes: number): EncodedBody {
  const encoding = random.pick(Object.keys(ENCODERS) as (keyof typeof ENCODERS)[]);
  const encode = ENCODERS[encoding];
  switch (random.below(9)) {
    case 0:
      return { kind: 'a bomb', bytes: encode(Buffer.alloc(bombBytes, ' ')), encoding };
    case 1:
      return { kind: 'a bomb in a bomb', bytes: encode(encode(Buffer.alloc(bombBytes, ' '))), encoding };
    case 2:
      return { kind: 'a cut encoding', bytes: cut(random, encode(body)), encoding };
    case 3:
      return {
        kind: 'bodies behind each other',
        bytes: Buffer.concat([encode(body), encode(body)]),
        encoding,
      };
    case 4:
      return { kind: 'another encoding', bytes: encode(body), encoding: random.pick(['gzip', 'br', 'zstd']) };
    case 5:
      return { kind: 'no encoding', bytes: body, encoding };
    case 6:
      return { kind: 'two encodings', bytes: encode(encode(body)), encoding: `${encoding}, ${encoding}` };
    case 7:
      return { kind: 'an odd encoding', bytes: body, encoding: oddEncoding(random) };
    default:
      return { kind: 'encoded', bytes: encode(body), encoding };
  }
}

function cut(random: Random, bytes: Buffer): Buffer {
  return bytes.subarray(0, random.below(bytes.length));
}

function oddEncoding(random: Random): string {
  return random.pick([
    '__proto__',
    'constructor',
    'GZIP ',
    'aes128gcm',
    ',',
    '*',
    'x'.repeat(5_000),
    'gzip;q=0',
  ]);
}
