import type { ResponsePlace } from '../http/response-place.ts';

/** Counts the event streams that clients are reading. */
export class OpenStreams {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts a response until it ends, complete or not. */
  add(response: ResponsePlace): void {
    this.#count++;
    response.onClose(() => this.#count--);
  }
}
