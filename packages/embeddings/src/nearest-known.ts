import { type Int8Vector, type NearestSearch, type NearTool, nearestOf, type Pause } from '@winnow/ranking';
import type { Texts } from './texts.ts';
import { keyOf, type VectorCache } from './vector-cache.ts';

/** The nearest texts, and whether the vectors of all are known. */
export interface NearestFound {
  readonly nearest: readonly NearTool[];
  readonly isComplete: boolean;
}

/** Looks through the vectors that are known. Remembers the keys of texts as long as what these are of. */
export class NearestKnown {
  readonly #vectors: VectorCache;
  readonly #pause: Pause;
  readonly #keys = new WeakMap<object, (string | undefined)[]>();

  constructor(vectors: VectorCache, pause: Pause) {
    this.#vectors = vectors;
    this.#pause = pause;
  }

  /** Undefined when there are too many to look at each. */
  async find(query: Int8Vector, texts: Texts, search: NearestSearch): Promise<NearestFound | undefined> {
    const keys = this.#keysOf(texts.table);
    let isComplete = true;
    const vectorOf = (position: number) => {
      const text = keys[position] === undefined ? texts.textOf(position) : undefined;
      if (text !== undefined) keys[position] = keyOf(text);
      const key = keys[position];
      const known = key === undefined ? undefined : this.#vectors.peek(key);
      isComplete &&= known !== undefined;
      return known;
    };
    const nearest = await nearestOf({ query, count: texts.count, vectorOf, pause: this.#pause }, search);
    return nearest && { nearest, isComplete };
  }

  /** Keys of texts by their numbers, as far as they were worked out. */
  #keysOf(table: object): (string | undefined)[] {
    const known = this.#keys.get(table) ?? [];
    this.#keys.set(table, known);
    return known;
  }
}
