import type { ChangeEvent } from './change.ts';

/** Receives every event, in order. */
export type ChangeListener = (event: ChangeEvent) => void;

/**
 * The listeners of a scope. They are called in order of registration. A listener that throws is reported, and the others
 * are still called.
 */
export class ChangeListeners {
  readonly #listeners = new Map<symbol, ChangeListener>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Adds a listener and returns a function that removes it, which may be called twice. Ignores a missing listener. */
  add(listener: ChangeListener | undefined): () => void {
    if (typeof listener !== 'function') return () => {};
    const key = Symbol('listener');
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  tell(events: readonly ChangeEvent[]): void {
    for (const event of events) {
      for (const [key, listener] of [...this.#listeners]) {
        // A listener may have removed another one.
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
