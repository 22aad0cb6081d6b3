import {
  brotliCompressSync,
  createZstdCompress,
  deflateSync,
  gzipSync,
  constants as zlib,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contentDecoder, decodePieces, decodeStream, decodeWhole, UndecodableBody } from '../../src/index.ts';

const TEXT = Buffer.from('the same words, '.repeat(1_000));

const ENCODED: readonly [string, Buffer][] = [
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  [' GZIP ', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', TEXT],
  ['', TEXT],
];

async function* inPieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += 7) yield body.subarray(at, at + 7);
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe.each(ENCODED)('a body in %j', (encoding, body) => {
  it('is decoded whole', async () => {
    expect(await decodeWhole(body, encoding, TEXT.length)).toEqual(TEXT);
  });

  it('is decoded piece by piece', async () => {
    expect(await read(decodeStream(inPieces(body), encoding)!)).toEqual(TEXT);
  });
});

const REALLY_ENCODED = ENCODED.filter(([, body]) => body !== TEXT);

describe.each(REALLY_ENCODED)('a body in %j', (encoding, body) => {
  it('is refused whole beyond the limit', async () => {
    await expect(decodeWhole(body, encoding, TEXT.length - 1)).rejects.toBeInstanceOf(UndecodableBody);
  });

  it('is refused when it is broken, whole and piece by piece', async () => {
    const broken = Buffer.from('not encoded at all');
    await expect(decodeWhole(broken, encoding, 1_000)).rejects.toBeInstanceOf(UndecodableBody);
    await expect(read(decodeStream(inPieces(broken), encoding)!)).rejects.toThrow();
  });
});

it.each(['gzip, br', 'compress', '__proto__'])('the encoding %s is unknown', async (encoding) => {
  expect(contentDecoder(encoding)).toBeUndefined();
  expect(decodeStream(inPieces(TEXT), encoding)).toBeUndefined();
  await expect(decodeWhole(TEXT, encoding, 1_000)).rejects.toBeInstanceOf(UndecodableBody);
});

it('a zstd frame that asks for a window of more than 16 MiB is refused', async () => {
  const frame = async (windowLog: number) => {
    const encoder = createZstdCompress({ params: { [zlib.ZSTD_c_windowLog]: windowLog } });
    // Only an encoder that does not know the body's size requests its whole window.
    encoder.write(TEXT);
    encoder.flush(() => encoder.end());
    return read(encoder);
  };
  await expect(decodeWhole(await frame(25), 'zstd', 2 ** 30)).rejects.toBeInstanceOf(UndecodableBody);
  expect(await decodeWhole(await frame(24), 'zstd', 2 ** 30)).toEqual(TEXT);
});

describe.each(REALLY_ENCODED)('a whole body in %j, decoded in pieces', (encoding, body) => {
  it('is the same', async () => {
    const pieces = await decodePieces(body, encoding, () => true);
    expect(Buffer.concat(pieces!)).toEqual(TEXT);
  });

  it('is abandoned as soon as there is no room for a piece', async () => {
    let taken = 0;
    const take = (bytes: number) => {
      taken += bytes;
      return false;
    };
    expect(await decodePieces(body, encoding, take)).toBeUndefined();
    expect(taken).toBeLessThanOrEqual(TEXT.length);
  });

  it('is refused when it is broken', async () => {
    await expect(decodePieces(Buffer.from('broken'), encoding, () => true)).rejects.toBeInstanceOf(
      UndecodableBody,
    );
  });
});

it('a bomb takes one piece, not its decoded size', async () => {
  const asked: number[] = [];
  const bomb = zstdCompressSync(Buffer.alloc(2 ** 23));
  const take = (bytes: number) => {
    asked.push(bytes);
    return false;
  };
  expect(await decodePieces(bomb, 'zstd', take)).toBeUndefined();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toBeLessThanOrEqual(2 ** 17);
});
