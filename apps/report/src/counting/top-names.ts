/** A name and its count, which is too high by at most `overcount`. */
interface NameCount {
  readonly name: string;
  readonly count: number;
  readonly overcount: number;
}

/** The most frequent names. */
export type Names = ReturnType<TopNames['result']>;

/** Names beyond this many are counted only if they are frequent. */
const DEFAULT_CAPACITY = 2_000;
/** No provider allows longer names of tools; longer names are compared by their beginnings. */
const NAME_LIMIT = 200;

interface Held {
  count: number;
  overcount: number;
}

/**
 * Counts names in bounded memory: exactly as long as there are at most `capacity` names, else the frequent ones
 * with a bounded error.
 *
 * The idea is that of Space-Saving, done in batches so that a name costs constant time: at twice the capacity
 * the rarer half is dropped, and new names start from the largest dropped count. So a count is never too low,
 * and too high by at most that.
 *
 * Source: Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k elements in data streams",
 * ICDT 2005.
 */
export class TopNames {
  readonly #held = new Map<string, Held>();
  readonly #capacity: number;
  #dropped = 0;
  #total = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** The number of names in memory. */
  get heldCount(): number {
    return this.#held.size;
  }

  add(name: string): void {
    const key = cut(name);
    this.#total++;
    const held = this.#held.get(key);
    if (held !== undefined) {
      held.count++;
      return;
    }
    this.#held.set(key, { count: this.#dropped + 1, overcount: this.#dropped });
    if (this.#held.size > 2 * this.#capacity) this.#dropRarer();
  }

  /** Returns the count of a name, possibly too high; 0 when it is not held. */
  countOf(name: string): number {
    return this.#held.get(cut(name))?.count ?? 0;
  }

  result(most: number) {
    return {
      /** The most frequent names first; ties by name. */
      top: this.#ordered().slice(0, most),
      /** The count of all names together. */
      total: this.#total,
      /** The number of names; a lower bound when `isExact` is false. */
      distinct: this.#held.size,
      /** False with more names than are held: a name missing from `top` may then have occurred `blindSpot` times. */
      isExact: this.#dropped === 0,
      blindSpot: this.#dropped,
    };
  }

  #ordered(): NameCount[] {
    return [...this.#held]
      .map(([name, { count, overcount }]) => ({ name, count, overcount }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }

  #dropRarer(): void {
    for (const { name, count } of this.#ordered().slice(this.#capacity)) {
      this.#held.delete(name);
      this.#dropped = Math.max(this.#dropped, count);
    }
  }
}

/** A copy, as a slice would keep the whole long name in memory. */
function cut(name: string): string {
  return name.length <= NAME_LIMIT ? name : Buffer.from(`${name.slice(0, NAME_LIMIT)}…`).toString();
}
