import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientSignal } from '../http/client-signal.ts';

/** Creates a signal that aborts when the client leaves before its response is complete. */
export function watchClient(incoming: IncomingMessage, outgoing: ServerResponse): ClientSignal {
  const signal = new ClientSignal();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) signal.abort();
  });
  // Fires before the reader's error. An upload also aborts when the upstream stops reading it; that client is
  // still connected and waits for a response.
  incoming.on('aborted', () => {
    if (outgoing.socket?.destroyed !== false) signal.abort();
  });
  // A write to a client that has just left is not an error.
  outgoing.on('error', () => signal.abort());
  return signal;
}
