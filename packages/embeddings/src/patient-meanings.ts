import {
  type Int8Vector,
  type MeaningSource,
  nearestOf,
  noPause,
  tellingSentences,
  toInt8Vector,
  VectorTable,
} from '@winnow/ranking';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { keyOf } from './vectors.ts';

/** Timeout of a call, longer than any working model or endpoint takes. */
const CALL_MS = 120_000;

/**
 * Vectors for commands and benches, which have time: every vector is awaited, and all are kept.
 *
 * Rejects with the embedder's `EmbeddingError`.
 */
export class PatientMeanings {
  readonly #embedder: Embedder;
  readonly #vectors: Map<string, Int8Vector>;

  /** @param vectors known vectors of the same model, by `keyOf` their texts; new ones are added to it. */
  constructor(embedder: Embedder, vectors = new Map<string, Int8Vector>()) {
    this.#embedder = embedder;
    this.#vectors = vectors;
  }

  /** Computes the vectors of texts that are not known yet. */
  async learn(texts: Iterable<string>): Promise<void> {
    const fresh = [...new Set(texts)].filter((text) => this.#knows(text) && !this.#vectors.has(keyOf(text)));
    const { batchSize } = this.#embedder;
    for (let from = 0; from < fresh.length; from += batchSize)
      await this.#embed(fresh.slice(from, from + batchSize));
  }

  /** Returns the meaning of searches over `count` texts. */
  source(count: number, textOf: (position: number) => string): MeaningSource {
    let table: VectorTable | undefined;
    let isLearnt = false;
    const vectorOf = (position: number) => this.#vectors.get(keyOf(textOf(position)));
    return {
      vectorsOf: async (query, positions) => {
        if (!this.#knows(query)) return undefined;
        const texts = positions.map(textOf);
        const parts = tellingSentences(query);
        await this.learn([query, ...parts, ...texts]);
        const vectorsOf = (some: readonly string[]) => some.map((text) => this.#vectors.get(keyOf(text)));
        const sentences = vectorsOf(parts).filter((vector) => vector !== undefined);
        const vectors = { query: this.#vectors.get(keyOf(query))!, tools: vectorsOf(texts) };
        return sentences.length === 0 ? vectors : { ...vectors, sentences };
      },
      nearest: async (pattern, search) => {
        if (!this.#knows(pattern)) return undefined;
        await this.learn([pattern]);
        const query = this.#vectors.get(keyOf(pattern))!;
        const isWithin = count * query.length <= (search.within ?? Number.POSITIVE_INFINITY);
        if (isWithin && !isLearnt) await this.learn(Array.from({ length: count }, (_, at) => textOf(at)));
        isLearnt ||= isWithin;
        table ??= new VectorTable(query.length, count);
        return nearestOf({ query, count, vectorOf, table, pause: noPause }, search);
      },
    };
  }

  #knows(text: string): boolean {
    return this.#embedder.knows?.(text) ?? true;
  }

  async #embed(texts: readonly string[]): Promise<void> {
    const call = { signal: AbortSignal.timeout(CALL_MS), isUrgent: true };
    const numbers = await this.#embedder.embed(texts, call);
    texts.forEach((text, at) => {
      const vector = toInt8Vector(numbers[at] ?? []);
      if (vector === undefined)
        throw new EmbeddingError(
          'invalid_response',
          'a vector is missing, zero, or contains values that are not numbers',
        );
      this.#vectors.set(keyOf(text), vector);
    });
  }
}
