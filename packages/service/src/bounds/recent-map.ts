/** A limit on the total weight of all entries. */
export interface WeightLimit<Key, Value> {
  readonly most: number;
  readonly weigh: (key: Key, value: Value) => number;
}

/**
 * A map that holds the `limit` most recently used entries.
 *
 * Contract: `get`, `getOrAdd` and `set` count as use. Entries over a limit are dropped at once, even a single
 * entry that is too heavy. An entry's weight does not change.
 */
export class RecentMap<Key, Value> {
  readonly #limit: number;
  readonly #weightLimit: WeightLimit<Key, Value> | undefined;
  readonly #entries = new Map<Key, Value>();
  /** The key that was used last, if it is in the map. */
  #newest: Key | undefined;
  #weight = 0;

  constructor(limit: number, weightLimit?: WeightLimit<Key, Value>) {
    this.#limit = limit;
    this.#weightLimit = weightLimit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The total weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#newest) return value;
    // A Map iterates in insertion order: moving an entry to the end makes the first one the least recently
    // used.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    return value;
  }

  /** Returns a value without counting as use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    this.#weight += this.#weigh(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limit && this.#weight <= (this.#weightLimit?.most ?? 0)) return;
      this.delete(oldest);
    }
  }

  getOrAdd(key: Key, make: () => Value): Value {
    const found = this.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.set(key, made);
    return made;
  }

  /** Iterates over the entries, the least recently used first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    if (key === this.#newest) this.#newest = undefined;
    this.#weight -= this.#weigh(key, value);
    this.#entries.delete(key);
  }

  #weigh(key: Key, value: Value): number {
    return this.#weightLimit?.weigh(key, value) ?? 0;
  }
}
