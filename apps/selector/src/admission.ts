import { SelectorError } from './selector-error.ts';

/** How long a client that was sent away should wait, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/** The error that sends a client away for a while. */
export function overloaded(message: string): SelectorError {
  return new SelectorError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}

/**
 * Counts the searches that are being received or answered, and sends new ones away above the limit.
 *
 * Sending away early is what keeps the others fast: a queue without end serves nobody in time.
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
