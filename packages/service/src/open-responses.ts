import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The responses of each connection that are not over, or whose requests are not. */
export class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, ServerResponse[]>();

  add(outgoing: ServerResponse): void {
    const { socket } = outgoing.req;
    const open = this.#ofSocket.get(socket);
    if (open) open.push(outgoing);
    else this.#ofSocket.set(socket, [outgoing]);
    // Nothing closes twice, and `once` costs three times as much.
    outgoing.on('close', () => {
      if (isOver(outgoing)) this.#forget(outgoing, socket);
      // What is left of the request may still come.
      else outgoing.req.on('close', () => this.#forget(outgoing, socket));
    });
  }

  /**
   * Whether bytes of a response have been written to a request that goes on. What is written to the connection then is read as a part of
   * that response, or as the response to the next request.
   */
  hasBegun(socket: Duplex): boolean {
    const open = this.#ofSocket.get(socket) ?? [];
    return open.some((outgoing) => outgoing.headersSent && !isOver(outgoing));
  }

  #forget(outgoing: ServerResponse, socket: Duplex): void {
    const open = this.#ofSocket.get(socket);
    const at = open?.indexOf(outgoing) ?? -1;
    if (at >= 0) open!.splice(at, 1);
  }
}

function isOver(outgoing: ServerResponse): boolean {
  return outgoing.writableFinished && outgoing.req.complete;
}
