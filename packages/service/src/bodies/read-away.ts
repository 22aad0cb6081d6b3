import type { IncomingMessage } from 'node:http';

/**
 * Resolves when the rest of a request has been read and discarded, or its client has left.
 *
 * A response that closes the connection must wait for this: closing with unread bytes resets the connection,
 * and the client may lose the response. A client that expects `100 Continue` sends no body after a refusal.
 */
export function readAway(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.headers.expect !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    incoming.once('end', resolve);
    incoming.once('close', resolve);
    incoming.resume();
  });
}

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
