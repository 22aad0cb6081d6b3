import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers of each connection that are not over, or whose requests are not. */
export class OpenAnswers {
  readonly #ofSocket = new WeakMap<Duplex, Set<ServerResponse>>();

  add(outgoing: ServerResponse): void {
    const { req: incoming } = outgoing;
    const open = this.#ofSocket.get(incoming.socket) ?? new Set();
    this.#ofSocket.set(incoming.socket, open.add(outgoing));
    const forget = () => {
      if (isOver(outgoing)) open.delete(outgoing);
    };
    outgoing.once('close', forget);
    incoming.once('close', forget);
  }

  /**
   * Whether bytes of an answer have been written to a request that goes on. What is written to the connection then is read as a part of
   * that answer, or as the answer to the next request.
   */
  hasBegun(socket: Duplex): boolean {
    for (const outgoing of this.#ofSocket.get(socket) ?? []) {
      if (outgoing.headersSent && !isOver(outgoing)) return true;
    }
    return false;
  }
}

function isOver(outgoing: ServerResponse): boolean {
  return outgoing.writableFinished && outgoing.req.complete;
}
