import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * Pipes a body into an answer and ends it; a slow reader slows the sender down. Rejects when either of them breaks off, and ends the other.
 *
 * `stream.pipeline` does the same, and makes an abort controller and an exception for every body that ends well.
 */
export function pipeBody(body: Readable, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    body.once('error', (error) => {
      outgoing.destroy();
      reject(error);
    });
    outgoing.once('finish', resolve);
    outgoing.once('close', () => {
      body.destroy();
      // An error costs a stack trace, and nearly every body ends well.
      if (!outgoing.writableFinished) reject(new Error('the client left before the answer was whole'));
    });
    body.pipe(outgoing);
  });
}
