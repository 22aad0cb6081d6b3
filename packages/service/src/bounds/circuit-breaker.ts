/** The rules by which a breaker opens and closes. */
export interface BreakerOptions {
  /** The number of consecutive failures after which calls are refused. */
  readonly failures: number;
  /** The time for which calls are refused before one may try, in milliseconds. */
  readonly openMs: number;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * Stops calling a service that does not respond, so that a dead one costs microseconds instead of a deadline.
 *
 * The breaker opens after `failures` consecutive failures. After `openMs`, one call may try (half open), and
 * its outcome closes or reopens the breaker. Contract: every `admit` that returned true is followed by
 * exactly one of `succeed`, `fail` and `abandon`.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  #failuresInRow = 0;
  #openUntil = Number.NEGATIVE_INFINITY;
  #isTrying = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get state(): BreakerState {
    if (this.#failuresInRow < this.#options.failures) return 'closed';
    return this.#isTrying || this.#options.now() >= this.#openUntil ? 'half_open' : 'open';
  }

  /** Whether a call may be made. */
  admit(): boolean {
    if (this.state === 'closed') return true;
    if (this.state === 'open' || this.#isTrying) return false;
    this.#isTrying = true;
    return true;
  }

  succeed(): void {
    this.#failuresInRow = 0;
    this.#isTrying = false;
  }

  fail(): void {
    this.#failuresInRow++;
    this.#isTrying = false;
    this.#openUntil = this.#options.now() + this.#options.openMs;
  }

  /** Ends a call that did not show whether the service works. */
  abandon(): void {
    this.#isTrying = false;
  }
}
