import type { IncomingMessage } from 'node:http';

/**
 * Resolves when what is left of a request has come and been thrown away, or its client has left.
 *
 * An answer that closes the connection must wait for that: closing on bytes that nobody read resets the connection, and the client may
 * lose the answer with it. A client that asks before it sends a body sends none when it is refused.
 */
export function readAway(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.headers.expect !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    incoming.once('end', resolve);
    incoming.once('close', resolve);
    incoming.resume();
  });
}
