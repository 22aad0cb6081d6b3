/**
 * Inverse document frequencies for a given number of documents, by document frequency; each is computed once.
 */
export class FrequencyIdfs {
  readonly size: number;
  /** Holds 0 for unknown values, which no idf has. */
  readonly #idfs: Float32Array;

  /** @param idfs the storage: more than `size` zeros. */
  constructor(size: number, idfs: Float32Array) {
    this.size = size;
    this.#idfs = idfs;
  }

  of(frequency: number): number {
    const known = this.#idfs[frequency]!;
    if (known > 0) return known;
    const idf = Math.fround(Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5)));
    this.#idfs[frequency] = idf;
    return idf;
  }
}

let room = new Float32Array(1 << 10);
let latest = new FrequencyIdfs(0, room);

/** Returns the thread's table, which holds the values of the last `size` only. Use it immediately. */
export function frequencyIdfs(size: number): FrequencyIdfs {
  if (latest.size === size) return latest;
  if (room.length <= size) room = new Float32Array(2 * size);
  else room.fill(0, 0, Math.max(size, latest.size) + 1);
  latest = new FrequencyIdfs(size, room);
  return latest;
}
