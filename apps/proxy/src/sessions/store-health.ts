import type { StoreProblem } from './store-error.ts';

/** What can fail by itself: a full server still reads. */
export type StorePart = 'connection' | 'reading' | 'writing';

/** Told of the store's ways. */
export interface StoreHealthListener {
  /** The store has stopped being of use in this part; nothing more is told until it is whole again. */
  readonly onDown: (part: StorePart, problem: StoreProblem) => void;
  readonly onUp: () => void;
}

/** Remembers which parts of a store fail, and tells once when it goes and once when it is back. */
export class StoreHealth {
  readonly #listener: StoreHealthListener;
  readonly #failing = new Set<StorePart>();
  #hasConnected = false;

  constructor(listener: StoreHealthListener) {
    this.#listener = listener;
  }

  /** Whether everything works, as far as it was tried. */
  get isUp(): boolean {
    return this.#hasConnected && this.#failing.size === 0;
  }

  fail(part: StorePart, problem: StoreProblem): void {
    const wasWhole = this.#failing.size === 0;
    this.#failing.add(part);
    if (wasWhole) this.#listener.onDown(part, problem);
  }

  succeed(part: StorePart): void {
    if (part === 'connection') this.#hasConnected = true;
    if (this.#failing.delete(part) && this.#failing.size === 0) this.#listener.onUp();
  }
}
