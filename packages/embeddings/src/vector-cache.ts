import { hash } from 'node:crypto';
import type { Int8Vector } from '@winnow/ranking';
import { RecentMap } from '@winnow/service';

/** A key, a map slot and an array header, in bytes. */
const ENTRY_BYTES = 250;

/** 128 bits of a SHA-256. */
const KEY_CHARS = 32;

/** Returns the key of a text's vector; collisions cannot be constructed. */
export function keyOf(text: string): string {
  return hash('sha256', text).slice(0, KEY_CHARS);
}

/**
 * The most recently used vectors of one model, by the hash of their texts, in bounded memory. All have the
 * same dimensions.
 */
export class VectorCache {
  readonly #maxBytes: number;
  #vectors: RecentMap<string, Int8Vector>;
  #dimensions: number | undefined;
  #era: object = {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#vectors = this.#empty();
  }

  get size(): number {
    return this.#vectors.size;
  }

  get bytes(): number {
    return this.#vectors.weight;
  }

  /** The dimensions of all vectors; undefined if there are none. */
  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  /** The identity of the content: while it is the same object, each key means the same vector. */
  get era(): object {
    return this.#era;
  }

  get(key: string): Int8Vector | undefined {
    return this.#vectors.get(key);
  }

  /** Returns a vector without marking it as used, for scans over all tools. */
  peek(key: string): Int8Vector | undefined {
    return this.#vectors.peek(key);
  }

  /** Adds the vectors; or returns false and adds none, if one has other dimensions than the kept ones. */
  add(entries: readonly (readonly [key: string, vector: Int8Vector])[]): boolean {
    const dimensions = this.#dimensions ?? entries[0]?.[1].length;
    if (entries.some(([, vector]) => vector.length !== dimensions)) return false;
    this.#dimensions = dimensions;
    for (const [key, vector] of entries) this.#vectors.set(key, vector);
    return true;
  }

  /** Removes everything, because the model seems to have changed. */
  clear(): void {
    this.#vectors = this.#empty();
    this.#dimensions = undefined;
    this.#era = {};
  }

  #empty(): RecentMap<string, Int8Vector> {
    return new RecentMap(Number.POSITIVE_INFINITY, { most: this.#maxBytes, weigh: weightOf });
  }
}

function weightOf(_key: string, vector: Int8Vector): number {
  return vector.byteLength + ENTRY_BYTES;
}
