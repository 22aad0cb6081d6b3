import type { IncomingMessage } from 'node:http';

/**
 * Reads the rest of a refused request away, `limitBytes` at most, and then closes the connection.
 *
 * Closing at once would reset the connection under a client that is still sending, and a reset may cost it the answer that says why.
 * A body that ends within the limit leaves a connection that can be used again; one that stands still ends as idle connections do.
 */
export function discardRest(incoming: IncomingMessage, limitBytes: number): void {
  let left = limitBytes;
  incoming.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) incoming.destroy();
  });
  incoming.resume();
}
