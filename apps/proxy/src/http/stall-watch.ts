/** Work that must keep making progress. */
export interface Stallable {
  /** Reports that progress has stopped for the allowed time. Called once. */
  stalled(idleMs: number): void;
}

/** A handle to watched work. */
export interface Watched {
  /** Reports progress. */
  heard(): void;
  /** Ends the watch. */
  stop(): void;
}

/** Number of checks per idle period. */
const LOOKS = 4;

/**
 * Watches bodies that may be slow but must make progress. One timer serves all: a timer per body costs more
 * than receiving it.
 *
 * A stalled body is reported after `idleMs`, at most a quarter later.
 */
export class StallWatch {
  readonly #idleMs: number;
  readonly #stopLooking: () => void;
  readonly #entries: Entry[] = [];
  #look = 0;

  /** `every` calls back at an interval in milliseconds until the returned function is called. */
  constructor(idleMs: number, every: (intervalMs: number, callBack: () => void) => () => void) {
    this.#idleMs = idleMs;
    this.#stopLooking = every(idleMs / LOOKS, () => this.#lookAround());
  }

  watch(body: Stallable): Watched {
    const entry: Entry = { body, heardAt: this.#look, place: this.#entries.length };
    this.#entries.push(entry);
    return {
      heard: () => {
        entry.heardAt = this.#look;
      },
      stop: () => this.#remove(entry),
    };
  }

  close(): void {
    this.#stopLooking();
  }

  #lookAround(): void {
    this.#look++;
    const late = this.#entries.filter(({ heardAt }) => this.#look - heardAt > LOOKS);
    for (const entry of late) {
      this.#remove(entry);
      entry.body.stalled(this.#idleMs);
    }
  }

  /** Removes an entry; the last entry takes its place. */
  #remove(entry: Entry): void {
    if (this.#entries[entry.place] !== entry) return;
    const last = this.#entries.pop()!;
    if (last === entry) return;
    this.#entries[entry.place] = last;
    last.place = entry.place;
  }
}

interface Entry {
  readonly body: Stallable;
  /** The number of checks before the last progress. */
  heardAt: number;
  place: number;
}
