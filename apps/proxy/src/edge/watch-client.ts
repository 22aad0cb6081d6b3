import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientSignal } from '../http/client-signal.ts';

/** A signal of the client that waits for this response: it aborts when the client leaves before the response is whole. */
export function watchClient(incoming: IncomingMessage, outgoing: ServerResponse): ClientSignal {
  const signal = new ClientSignal();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) signal.abort();
  });
  // Comes before the error that the reader of the request gets. An upload is also aborted when the upstream takes no more of it:
  // then the client is still there, and waits for a response.
  incoming.on('aborted', () => {
    if (outgoing.socket?.destroyed !== false) signal.abort();
  });
  // Writing to a client that has just left is no failure of anybody's.
  outgoing.on('error', () => signal.abort());
  return signal;
}
