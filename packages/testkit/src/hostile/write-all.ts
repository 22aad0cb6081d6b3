import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Writes pieces one by one with backpressure, until the other side disconnects. */
export async function writeAll(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) continue;
    // Abort the losing wait after each piece: a body may have a thousand pieces.
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(
      () => {},
    );
    waiting.abort();
  }
}
