import { type Int8Vector, type NearestSearch, type NearTool, nearestOf, type Pause } from '@winnow/ranking';
import type { Texts } from './texts.ts';
import { keyOf, type VectorCache } from './vector-cache.ts';

/** The nearest texts, and whether the vectors of all are known that can be. */
export interface NearestFound {
  readonly nearest: readonly NearTool[];
  readonly isComplete: boolean;
}

/** What is remembered of texts by their numbers, as far as it was worked out. */
interface Remembered {
  readonly keys: (string | undefined)[];
  /** Of vectors; 0 where it was not. */
  lengths: Float64Array;
  /** The one that the lengths are of. */
  era: object;
}

/** Looks through the vectors that are known. Remembers keys and lengths as long as what the texts are of. */
export class NearestKnown {
  readonly #vectors: VectorCache;
  readonly #pause: Pause;
  /** Whether a text has no vector because the embedder will not have it. */
  readonly #isRefused: (key: string) => boolean;
  readonly #remembered = new WeakMap<object, Remembered>();

  constructor(vectors: VectorCache, pause: Pause, isRefused: (key: string) => boolean) {
    this.#vectors = vectors;
    this.#pause = pause;
    this.#isRefused = isRefused;
  }

  /** Undefined when there are too many to look at each. */
  async find(query: Int8Vector, texts: Texts, search: NearestSearch): Promise<NearestFound | undefined> {
    const { keys, lengths } = this.#remember(texts);
    let isComplete = true;
    const vectorOf = (position: number) => {
      const text = keys[position] === undefined ? texts.textOf(position) : undefined;
      if (text !== undefined) keys[position] = keyOf(text);
      const key = keys[position];
      const known = key === undefined ? undefined : this.#vectors.peek(key);
      isComplete &&= known !== undefined || (key !== undefined && this.#isRefused(key));
      return known;
    };
    const parts = { query, count: texts.count, vectorOf, lengths, pause: this.#pause };
    const nearest = await nearestOf(parts, search);
    return nearest && { nearest, isComplete };
  }

  #remember({ table, count }: Texts): Remembered {
    const { era } = this.#vectors;
    const known = this.#remembered.get(table) ?? { keys: [], lengths: new Float64Array(count), era };
    // A table may grow.
    if (known.era !== era || known.lengths.length < count) known.lengths = new Float64Array(count);
    known.era = era;
    this.#remembered.set(table, known);
    return known;
  }
}
