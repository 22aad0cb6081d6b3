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
