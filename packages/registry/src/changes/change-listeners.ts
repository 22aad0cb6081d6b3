import type { ChangeEvent } from './change.ts';

/** Hears of every event, in order. */
export type ChangeListener = (event: ChangeEvent) => void;

/**
 * Those who want to hear of changes. They are told in the order in which they came; one that throws is reported and does not
 * keep the others from hearing.
 */
export class ChangeListeners {
  readonly #listeners = new Map<symbol, ChangeListener>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Adds a listener, and gives what takes it away; calling that twice does no harm, and adding nothing does nothing. */
  add(listener: ChangeListener | undefined): () => void {
    if (typeof listener !== 'function') return () => {};
    const key = Symbol('listener');
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  tell(events: readonly ChangeEvent[]): void {
    for (const event of events) {
      for (const [key, listener] of [...this.#listeners]) {
        // A listener may have taken another one away.
        if (this.#listeners.has(key)) this.#tellOne(listener, event);
      }
    }
  }

  #tellOne(listener: ChangeListener, event: ChangeEvent): void {
    try {
      listener(structuredClone(event));
    } catch (error) {
      this.#onFailure(error);
    }
  }
}
