import type { HistoryEntry } from '../stores/store.ts';
import type { ChangeEvent } from './change.ts';

/** Kept history: this many events or this many changes, whichever reaches further back. */
const KEPT_EVENTS = 10_000;
const KEPT_CHANGES = 50;

/** A position in the history, after an event. */
export interface HistoryPlace {
  readonly version: number;
  /** The index of the event in its change; Infinity for the position after all its events. */
  readonly index: number;
}

/** The newest changes of a scope, for followers. */
export class ChangeHistory {
  #entries: HistoryEntry[] = [];
  #events = 0;
  /** The version before the oldest kept change. */
  #floor: number;

  /** @param version The version of the content, for an empty history. */
  constructor(entries: readonly HistoryEntry[], version: number) {
    this.#floor = (entries[0]?.version ?? version + 1) - 1;
    for (const entry of entries) this.add(entry);
  }

  /** The version of the oldest kept change; one above the newest version when none is kept. */
  get keepFrom(): number {
    return this.#floor + 1;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: HistoryEntry): void {
    this.#entries.push(entry);
    this.#events += entry.events.length;
    for (;;) {
      const oldest = this.#entries[0]!;
      if (this.#entries.length <= KEPT_CHANGES || this.#events - oldest.events.length < KEPT_EVENTS) return;
      this.#entries.shift();
      this.#events -= oldest.events.length;
      this.#floor = oldest.version;
    }
  }

  /** Returns the events after a place, in order; undefined when some are no longer kept or the place is ahead of `newest`. */
  since({ version, index }: HistoryPlace, newest: number): readonly ChangeEvent[] | undefined {
    const isKept =
      version > this.#floor || (version === this.#floor && (index === Infinity || version === 0));
    if (!isKept || version > newest) return undefined;
    return this.#entries
      .filter((entry) => entry.version >= version)
      .flatMap((entry) =>
        entry.version === version ? entry.events.filter((event) => event.index > index) : entry.events,
      );
  }
}

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

/**
 * Yields the known events, then each new one, until the signal aborts.
 *
 * Listens from the call on, not from the first read, so no event is missed. Unread events wait in memory.
 */
export function followChanges(
  known: readonly ChangeEvent[],
  listen: (listener: ChangeListener) => () => void,
  signal: AbortSignal,
): AsyncIterable<ChangeEvent> {
  const waiting: ChangeEvent[] = [...known];
  let wake = () => {};
  const stop = listen((event) => {
    waiting.push(event);
    wake();
  });
  signal.addEventListener(
    'abort',
    () => {
      stop();
      wake();
    },
    { once: true },
  );
  return (async function* () {
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  })();
}
