import { type ApiError, commonError } from './api-error.ts';

/** The time that a refused client should wait, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/** Returns the error that tells a client to try again later. */
export function overloaded(message: string): ApiError {
  return commonError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}

/**
 * Counts the requests that are being received or answered, and refuses new ones above the limit.
 *
 * Early refusal keeps the others fast: with an endless queue, no response would be in time.
 */
export class Admission {
  readonly #limit: number;
  #waiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Throws `overloaded` when there is no room; otherwise, call `leave` exactly once. */
  enter(): void {
    if (this.#waiting >= this.#limit) throw overloaded('Too many requests are waiting.');
    this.#waiting++;
  }

  leave(): void {
    this.#waiting--;
  }
}
