import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The unfinished exchanges of each connection. */
export class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, ServerResponse[]>();

  add(outgoing: ServerResponse): void {
    const { socket } = outgoing.req;
    const open = this.#ofSocket.get(socket);
    if (open) open.push(outgoing);
    else this.#ofSocket.set(socket, [outgoing]);
    // `close` happens once, and `once` costs three times as much.
    outgoing.on('close', () => {
      if (isOver(outgoing)) this.#forget(outgoing, socket);
      // The rest of the request may still arrive.
      else outgoing.req.on('close', () => this.#forget(outgoing, socket));
    });
  }

  /**
   * Whether bytes of a response were written in an unfinished exchange. The client would read any further
   * bytes as part of that response, or as the response to its next request.
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
