import type { Readable } from 'node:stream';

/** The first `limitBytes` of a body at most; what is longer is not read to its end. Rejects when the body breaks off. */
export async function readUpTo(body: Readable, limitBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size >= limitBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, limitBytes);
}
