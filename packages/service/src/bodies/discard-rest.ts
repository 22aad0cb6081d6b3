import type { IncomingMessage } from 'node:http';

/**
 * Reads and discards the rest of a refused request, at most `limitBytes`, and then closes the connection.
 *
 * Closing at once would reset the connection while the client is still sending, and the client might lose the
 * response that explains the refusal. A body that ends within the limit leaves the connection usable; one
 * that stops arriving ends like an idle connection.
 */
export function discardRest(incoming: IncomingMessage, limitBytes: number): void {
  let left = limitBytes;
  incoming.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) incoming.destroy();
  });
  incoming.resume();
}
