import { hash } from 'node:crypto';
import type { Int8Vector } from '@winnow/ranking';
import { RecentMap } from '@winnow/service';

/** A key, a slot of a map and an array's head, in bytes. */
const ENTRY_BYTES = 250;

/** 128 bits of a SHA-256. */
const KEY_CHARS = 32;

/** By what a text's vector is found: nobody can make two texts share one. */
export function keyOf(text: string): string {
  return hash('sha256', text).slice(0, KEY_CHARS);
}

/** Vectors of one model by the hash of their texts, those that were used last, in bounded memory. All have the same dimensions. */
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

  /** Of all of them; undefined when there are none. */
  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  /** The same as long as a key stands for the same numbers. */
  get era(): object {
    return this.#era;
  }

  get(key: string): Int8Vector | undefined {
    return this.#vectors.get(key);
  }

  /** The same without counting as use: who looks through all tools uses none of them. */
  peek(key: string): Int8Vector | undefined {
    return this.#vectors.peek(key);
  }

  /** Keeps vectors, or none of them and gives false when one has other dimensions than those that are kept. */
  add(entries: readonly (readonly [key: string, vector: Int8Vector])[]): boolean {
    const dimensions = this.#dimensions ?? entries[0]?.[1].length;
    if (entries.some(([, vector]) => vector.length !== dimensions)) return false;
    this.#dimensions = dimensions;
    for (const [key, vector] of entries) this.#vectors.set(key, vector);
    return true;
  }

  /** Lets everything go: another model seems to be there. */
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
