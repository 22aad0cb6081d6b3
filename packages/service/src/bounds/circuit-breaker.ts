/** How a breaker opens and closes. */
export interface BreakerOptions {
  /** Failures in a row after which calls are refused. */
  readonly failures: number;
  /** How long calls are refused before one is let through to try, in milliseconds. */
  readonly openMs: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * Stops asking a service that does not answer, so that a dead one costs microseconds instead of a deadline.
 *
 * After `failures` failures in a row it is open; after `openMs` one call may try (half open), and its outcome closes or
 * reopens it. Contract: every `admit` that gave true is followed by exactly one of `succeed`, `fail` and `abandon`.
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

  /** The call ended without saying anything about the service. */
  abandon(): void {
    this.#isTrying = false;
  }
}
