import type { Pause } from '@winnow/ranking';

/** Size of a piece: a millisecond or two for first writes to memory. */
const PIECE_BYTES = 2 * 2 ** 20;

/**
 * Copies bytes in pieces and yields in between: 15 MB at once would block other requests for 10 ms and more.
 * Neither buffer may change until it is done.
 */
export async function copyInTurns(from: Uint8Array, to: Uint8Array, pause: Pause): Promise<void> {
  for (let at = 0; at < from.length; at += PIECE_BYTES) {
    if (at > 0) await pause();
    to.set(from.subarray(at, at + PIECE_BYTES), at);
  }
}
