import type { HistoryEntry } from '../stores/store.ts';
import type { ChangeEvent } from './change.ts';

/** How much is kept: as many events, or as many changes, whichever reaches further back. */
const KEPT_EVENTS = 10_000;
const KEPT_CHANGES = 50;

/** Where somebody stands in the history: behind an event. */
export interface HistoryPlace {
  readonly version: number;
  /** The place of the event in its change; Infinity behind all of its events. */
  readonly index: number;
}

/** The newest changes of a scope, for those who follow. */
export class ChangeHistory {
  #entries: HistoryEntry[] = [];
  #events = 0;
  /** The version before the oldest change that is kept. */
  #floor: number;

  /** @param version of the content when nothing is kept. */
  constructor(entries: readonly HistoryEntry[], version: number) {
    this.#floor = (entries[0]?.version ?? version + 1) - 1;
    for (const entry of entries) this.add(entry);
  }

  /** The oldest version whose change is kept; one above the newest when there is none. */
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

  /** Events behind a place, in order, or undefined when some of them are forgotten or the place lies ahead of `newest`. */
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
