import { once } from 'node:events';
import { constants, createGzip } from 'node:zlib';

/** Compresses a body piece by piece, so that each sent piece can be decompressed. Calls must not overlap. */
export interface Compressor {
  /** Returns the compressed form of the bytes, flushed so that it can be decompressed at once. */
  push(bytes: Uint8Array): Promise<Uint8Array>;
  /** Returns the end of the compressed body. */
  finish(): Promise<Uint8Array>;
}

/** Creates a gzip compressor that flushes after every piece. */
export function createGzipCompressor(): Compressor {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  let compressed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => compressed.push(chunk));
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(compressed);
    compressed = [];
    return bytes;
  };
  return {
    async push(bytes) {
      await new Promise<void>((resolve) => gzip.write(bytes, () => resolve()));
      await new Promise<void>((resolve) => gzip.flush(() => resolve()));
      return take();
    },
    async finish() {
      gzip.end();
      await once(gzip, 'end');
      return take();
    },
  };
}
