import type { StoreProblem } from './store-error.ts';

/** The parts that can fail separately: a full server still reads. */
export type StorePart = 'connection' | 'reading' | 'writing';

/** Receives changes of the store's health. */
export interface StoreHealthListener {
  /** The store has failed in this part; no further call follows until it has recovered. */
  readonly onDown: (part: StorePart, problem: StoreProblem) => void;
  readonly onUp: () => void;
}

/**
 * Time without failures until a failed part counts as recovered, in milliseconds: if one node of a cluster is
 * away, others still succeed.
 */
const SETTLE_MS = 1_000;

/** Tracks the failing parts of a store, and reports once when it fails and once when it has recovered. */
export class StoreHealth {
  readonly #listener: StoreHealthListener;
  readonly #now: () => number;
  /** The time of each part's last failure. */
  readonly #failing = new Map<StorePart, number>();
  #hasConnected = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(listener: StoreHealthListener, now: () => number) {
    this.#listener = listener;
    this.#now = now;
  }

  /** Whether everything tried so far works. */
  get isUp(): boolean {
    return this.#hasConnected && this.#failing.size === 0;
  }

  isFailing(part: StorePart): boolean {
    return this.#failing.has(part);
  }

  fail(part: StorePart, problem: StoreProblem): void {
    const wasWhole = this.#failing.size === 0;
    this.#failing.set(part, this.#now());
    if (wasWhole) this.#listener.onDown(part, problem);
  }

  succeed(part: StorePart): void {
    if (part === 'connection') this.#hasConnected = true;
    else if (this.#now() - (this.#failing.get(part) ?? 0) < SETTLE_MS) return;
    if (this.#failing.delete(part) && this.#failing.size === 0) this.#listener.onUp();
  }
}
