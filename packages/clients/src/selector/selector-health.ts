import { type BreakerOptions, type BreakerState, CircuitBreaker } from '@winnow/service';

/** Maximum number of tools of each size class except the last, which is unbounded. */
const SIZE_CLASSES = [100, 1_000, 5_000] as const;

const WORST_FIRST: readonly BreakerState[] = ['open', 'half_open', 'closed'];

/**
 * Stops calling a selector that does not respond, without letting a few huge catalogues block all other
 * searches.
 *
 * Failures of the selector itself (refused, reset, 5xx) count for all searches. A timeout may be due to the
 * number of tools: it counts only for searches over about as many. A hanging selector is also skipped, one size
 * class after another.
 *
 * Contract: every `admit` that returned true is followed by exactly one of the other calls, with the same
 * number of tools.
 */
export class SelectorHealth {
  readonly #connection: CircuitBreaker;
  readonly #bySize: readonly CircuitBreaker[];

  constructor(options: BreakerOptions) {
    this.#connection = new CircuitBreaker(options);
    this.#bySize = [...SIZE_CLASSES, 0].map(() => new CircuitBreaker(options));
  }

  /** The worst state that any search would meet. */
  get state(): BreakerState {
    const states = [this.#connection, ...this.#bySize].map(({ state }) => state);
    return WORST_FIRST.find((state) => states.includes(state))!;
  }

  /** Whether a search over this number of tools may be sent. */
  admit(tools: number): boolean {
    if (!this.#connection.admit()) return false;
    if (this.#sizeOf(tools).admit()) return true;
    this.#connection.abandon();
    return false;
  }

  /**
   * Records a response. Status 500 and above counts against the selector; other errors concern only the
   * request.
   */
  answered(tools: number, status: number): void {
    this.#sizeOf(tools).succeed();
    if (status >= 500) this.#connection.fail();
    else this.#connection.succeed();
  }

  /** Records a failed connection. */
  failed(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.fail();
  }

  /** Records that no complete response arrived within the time limit. */
  timedOut(tools: number): void {
    this.#sizeOf(tools).fail();
    this.#connection.abandon();
  }

  /** Records a search that ended without saying anything about the selector. */
  abandoned(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.abandon();
  }

  #sizeOf(tools: number): CircuitBreaker {
    const index = SIZE_CLASSES.findIndex((most) => tools <= most);
    return this.#bySize[index < 0 ? SIZE_CLASSES.length : index]!;
  }
}
