import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** Returns what a body says before its encoding, as far as it has arrived. Throws if it is not in this encoding. */
export function decompress(body: Buffer, encoding: string | undefined): Buffer {
  switch (encoding) {
    case undefined:
    case 'identity':
      return body;
    case 'gzip':
      return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    case 'deflate':
      return inflateSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    case 'br':
      return brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zstdDecompressSync(body, { finishFlush: constants.ZSTD_e_flush });
    default:
      throw new Error(`the body has the encoding ${encoding}, which the client did not ask for`);
  }
}
