import type { Pause } from '@winnow/ranking';
import { mappedBlock } from '../receive/growing-buffer.ts';

/** A millisecond or two: most of the time goes into memory that is written to for the first time. */
const PIECE_BYTES = 2 * 2 ** 20;

/**
 * A copy in a block of its own, made piece by piece, between which others have their turn: 15 MB at once would have them wait for 10 ms and more.
 * The bytes stay as they are until it is done. Rejects with a `RangeError` when there is no memory.
 */
export async function copyInTurns(bytes: Uint8Array, pause: Pause): Promise<Buffer<ArrayBuffer>> {
  const copy = mappedBlock(bytes.length);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await pause();
    copy.set(bytes.subarray(at, at + PIECE_BYTES), at);
  }
  return copy;
}
