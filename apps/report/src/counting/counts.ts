/** Counts by key; keys with no occurrence are absent. */
export type Counts<Key extends string> = Readonly<Partial<Record<Key, number>>>;

/** Counts occurrences of a few keys. */
export class CountsTally<Key extends string> {
  readonly #counts: Partial<Record<Key, number>> = {};

  add(key: Key): void {
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
  }

  /** The most frequent first; ties by key. */
  result(): Counts<Key> {
    const entries = Object.entries<number | undefined>(this.#counts);
    return Object.fromEntries(
      entries.sort(([keyA, a = 0], [keyB, b = 0]) => b - a || (keyA < keyB ? -1 : 1)),
    ) as Counts<Key>;
  }
}

/** Returns the sum of all counts. */
export function sumOf(counts: Counts<string>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
