import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';

/** Content encodings at quick settings: the test data still shrinks a thousandfold. */
export const ENCODERS = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
} as const;

export type Encoding = keyof typeof ENCODERS;
