import type { StoreProblem } from './store-error.ts';

/** What can fail by itself: a full server still reads. */
export type StorePart = 'connection' | 'reading' | 'writing';

/** Told of the store's ways. */
export interface StoreHealthListener {
  /** The store has stopped being of use in this part; nothing more is told until it is whole again. */
  readonly onDown: (part: StorePart, problem: StoreProblem) => void;
  readonly onUp: () => void;
}

/** A part that failed has to do without a failure for so long to count as whole: where one node of a cluster is away, others succeed. */
const SETTLE_MS = 1_000;

/** Remembers which parts of a store fail, and tells once when it goes and once when it is back. */
export class StoreHealth {
  readonly #listener: StoreHealthListener;
  readonly #now: () => number;
  /** When each last failed. */
  readonly #failing = new Map<StorePart, number>();
  #hasConnected = false;

  /** `now` gives milliseconds that only ever grow. */
  constructor(listener: StoreHealthListener, now: () => number) {
    this.#listener = listener;
    this.#now = now;
  }

  /** Whether everything works, as far as it was tried. */
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
