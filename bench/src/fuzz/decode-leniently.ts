import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Maximum number of bytes that a client of the fuzz reads. */
const MOST_BYTES = 20_000_000;

/** Decodes a body by its headers; returns the body itself if that fails. */
export function decodeWhole(bytes: Buffer, rawHeaders: readonly string[]): Buffer {
  const at = rawHeaders.findIndex((part, place) => place % 2 === 0 && /^content-encoding$/i.test(part));
  const decode = at < 0 ? undefined : DECODERS[rawHeaders[at + 1]!.trim().toLowerCase()];
  try {
    return decode ? decode(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
  } catch {
    return bytes;
  }
}
