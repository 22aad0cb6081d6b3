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
