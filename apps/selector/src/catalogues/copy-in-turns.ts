import type { Pause } from '@winnow/ranking';

/** A millisecond or two where memory is written to for the first time. */
const PIECE_BYTES = 2 * 2 ** 20;

/**
 * Copies bytes piece by piece, between which others have their turn: 15 MB at once would have them wait for 10 ms and more.
 * Neither changes until it is done.
 */
export async function copyInTurns(from: Uint8Array, to: Uint8Array, pause: Pause): Promise<void> {
  for (let at = 0; at < from.length; at += PIECE_BYTES) {
    if (at > 0) await pause();
    to.set(from.subarray(at, at + PIECE_BYTES), at);
  }
}
