/** Inverse document frequencies among so many documents, by how many of them have a term; each worked out once. */
export class FrequencyIdfs {
  readonly size: number;
  /** 0 until it is asked for, as none of them can be 0. */
  readonly #idfs: Float32Array;

  /** @param idfs takes them; of more than `size` zeros. */
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

/** One table for the thread: of the number that was asked for last. To be used at once. */
export function frequencyIdfs(size: number): FrequencyIdfs {
  if (latest.size === size) return latest;
  if (room.length <= size) room = new Float32Array(2 * size);
  else room.fill(0, 0, Math.max(size, latest.size) + 1);
  latest = new FrequencyIdfs(size, room);
  return latest;
}
