import { type BreakerOptions, type BreakerState, CircuitBreaker } from '@winnow/service';

/** Most tools of each size class but the last, which has no end. */
const SIZE_CLASSES = [100, 1_000, 5_000] as const;

const WORST_FIRST: readonly BreakerState[] = ['open', 'half_open', 'closed'];

/**
 * Leaves a selector alone that does not answer, without letting a few giant catalogues close it for everybody else.
 *
 * What speaks of the selector itself (refused, reset, 5xx) counts for all searches. A search that takes too long may do so because of its tools:
 * it counts only for searches over about as many. A selector that hangs is left alone as well, one size class after the other.
 *
 * Contract: every `admit` that gave true is followed by exactly one of the others, with the same number of tools.
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

  /** Whether a search over so many tools may be asked. */
  admit(tools: number): boolean {
    if (!this.#connection.admit()) return false;
    if (this.#sizeOf(tools).admit()) return true;
    this.#connection.abandon();
    return false;
  }

  /** There was a response; a status from 500 on tells of the selector's health, the others of one request. */
  answered(tools: number, status: number): void {
    this.#sizeOf(tools).succeed();
    if (status >= 500) this.#connection.fail();
    else this.#connection.succeed();
  }

  /** The connection failed. */
  failed(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.fail();
  }

  /** There was no whole response within the time limit. */
  timedOut(tools: number): void {
    this.#sizeOf(tools).fail();
    this.#connection.abandon();
  }

  /** The search ended without saying anything about the selector. */
  abandoned(tools: number): void {
    this.#sizeOf(tools).abandon();
    this.#connection.abandon();
  }

  #sizeOf(tools: number): CircuitBreaker {
    const index = SIZE_CLASSES.findIndex((most) => tools <= most);
    return this.#bySize[index < 0 ? SIZE_CLASSES.length : index]!;
  }
}
