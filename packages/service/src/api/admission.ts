import { type ApiError, commonError } from './api-error.ts';

/** How long a client that was refused should wait, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/** The error that tells a client to come back later. */
export function overloaded(message: string): ApiError {
  return commonError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}

/**
 * Counts the searches that are being received or answered, and refuses new ones above the limit.
 *
 * Refusing early is what keeps the others fast: a queue without end serves nobody in time.
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

  /** Throws `overloaded` when there is no room; otherwise `leave` must follow, once. */
  enter(): void {
    if (this.#waiting >= this.#limit) throw overloaded('Too many requests are waiting.');
    this.#waiting++;
  }

  leave(): void {
    this.#waiting--;
  }
}
