import type { ServerResponse } from 'node:http';

/** Counts the event streams that clients are reading. */
export class OpenStreams {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts a response until it has ended, be it whole or not. */
  add(outgoing: ServerResponse): void {
    this.#count++;
    outgoing.once('close', () => this.#count--);
  }
}
