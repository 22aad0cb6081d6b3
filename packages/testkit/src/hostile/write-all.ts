import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Writes pieces one by one, each when there is room for it, until the other side is gone. */
export async function writeAll(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) continue;
    // What does not happen must not go on being waited for: a body may come in a thousand pieces.
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(
      () => {},
    );
    waiting.abort();
  }
}
