/** Something that should go on. */
export interface Stallable {
  /** It has stood still for as long as it may. Called once. */
  stalled(idleMs: number): void;
}

/** One that is watched. */
export interface Watched {
  /** It goes on. */
  heard(): void;
  /** It is over. */
  stop(): void;
}

/** Number of looks within the time that something may stand still. */
const LOOKS = 4;

/**
 * Watches bodies that may be slow but must go on, all by one timer: a timer for each costs more than receiving it.
 *
 * A body that stands still hears of it after `idleMs`, and after a quarter more at the latest.
 */
export class StallWatch {
  readonly #idleMs: number;
  readonly #stopLooking: () => void;
  readonly #entries: Entry[] = [];
  #look = 0;

  /** `every` calls back every so many milliseconds until the function that it gives is called. */
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

  /** The last one takes the place of the one that goes. */
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
  /** The look before which it was heard last. */
  heardAt: number;
  place: number;
}
