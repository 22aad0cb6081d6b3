/** A bound on what all entries weigh together. */
export interface WeightLimit<Key, Value> {
  readonly most: number;
  readonly weigh: (key: Key, value: Value) => number;
}

/**
 * A map that holds the `limit` entries used last.
 *
 * Contract: `get`, `getOrAdd` and `set` count as use; whatever is over a limit is dropped at once, an entry that is too heavy alone
 * included. What an entry weighs does not change.
 */
export class RecentMap<Key, Value> {
  readonly #limit: number;
  readonly #weightLimit: WeightLimit<Key, Value> | undefined;
  readonly #entries = new Map<Key, Value>();
  #weight = 0;

  constructor(limit: number, weightLimit?: WeightLimit<Key, Value>) {
    this.#limit = limit;
    this.#weightLimit = weightLimit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What all entries weigh together. */
  get weight(): number {
    return this.#weight;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A Map iterates in the order of insertion: moving an entry to the end makes the first one the least used.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** The same without counting as use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
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

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#weight -= this.#weigh(key, value);
    this.#entries.delete(key);
  }

  #weigh(key: Key, value: Value): number {
    return this.#weightLimit?.weigh(key, value) ?? 0;
  }
}
