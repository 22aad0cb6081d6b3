import { type Int8Vector, toInt8Vector } from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import { EmbeddingError, type EmbeddingFailure } from './embedding-error.ts';
import { BREAKER, type MeaningHealth } from './meaning-health.ts';
import type { SharedVectors } from './shared-vectors.ts';
import type { VectorCache } from './vector-cache.ts';
import type { VectorEntry } from './vector-text.ts';

/** Dependencies of calls. */
export interface VectorCallsOptions {
  readonly embedder: Embedder;
  /** Vectors of tools shared with other processes: read before computing, and written after. */
  readonly shared: SharedVectors | undefined;
  /** The cache that receives the vectors. */
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Cancels all calls. */
  readonly closing: AbortSignal;
}

/** The kind of texts: queries come from people and are kept in memory only. */
export type TextsOf = 'query' | 'tools';

export type TextsByKey = ReadonlyMap<string, string>;

/** Timeout of a call, whether or not a search waits for it, in milliseconds. */
const CALL_MS = 10_000;

/** Maximum number of concurrent calls for searches; further searches go without missing vectors. */
const MAX_URGENT_CALLS = 16;

/** Maximum number of remembered texts that the embedder rejected. */
const MAX_REFUSED = 10_000;

/**
 * Calls that fetch vectors: each text is requested once at a time, however many callers wait for it.
 *
 * Contract: nothing rejects. When a call ends, its vectors are in `vectors`, and `health` has its outcome.
 */
export class VectorCalls {
  readonly #options: VectorCallsOptions;
  /** Calls in progress, by the keys of their texts. */
  readonly #coming = new Map<string, Promise<void>>();
  readonly #refused = new RecentMap<string, true>(MAX_REFUSED);
  #urgentCalls = 0;
  #batchSize: number;
  /** Responses in a row whose vectors have other dimensions than the cached ones. */
  #strangeInRow = 0;

  constructor(options: VectorCallsOptions) {
    this.#options = options;
    this.#batchSize = options.embedder.batchSize;
  }

  /** Maximum number of texts per call: fewer than the embedder takes if it was too slow for more. */
  get batchSize(): number {
    return this.#batchSize;
  }

  /**
   * Requests vectors for a search. Resolves when they have arrived or failed; undefined if nothing can be
   * requested.
   */
  request(texts: TextsByKey, of: TextsOf): Promise<unknown> | undefined {
    const { health } = this.#options;
    const fresh = [...texts].filter(([key]) => !this.#coming.has(key));
    const batchSize = this.#batchSize;
    for (let from = 0; from < fresh.length; from += batchSize) {
      if (this.#urgentCalls >= MAX_URGENT_CALLS || !health.calls.admit()) break;
      this.#urgentCalls++;
      const call = this.call(new Map(fresh.slice(from, from + batchSize)), { of, isUrgent: true });
      void call.finally(() => this.#urgentCalls--);
    }
    const calls = new Set([...texts.keys()].flatMap((key) => this.#coming.get(key) ?? []));
    return calls.size === 0 ? undefined : Promise.all(calls);
  }

  /** Makes one call that the breaker admitted. Returns the reason of its failure, undefined on success. */
  async call(
    texts: TextsByKey,
    { of, isUrgent }: { of: TextsOf; isUrgent: boolean },
  ): Promise<EmbeddingFailure | undefined> {
    const call = of === 'tools' ? this.#findOrEmbed(texts, isUrgent) : this.#embed(texts, isUrgent);
    const settled = call.then(() => {});
    for (const key of texts.keys()) this.#coming.set(key, settled);
    const failure = await call;
    for (const key of texts.keys()) this.#coming.delete(key);
    // Three rejections in a row are due to the model or the key, not to the texts.
    if (failure === 'refused' && this.#options.health.calls.state === 'closed')
      for (const key of texts.keys()) this.#refused.set(key, true);
    return failure;
  }

  /** Whether the embedder rejected a text, so that asking again is useless. */
  isRefused(key: string): boolean {
    return this.#refused.peek(key) === true;
  }

  /** Looks up the shared vectors first, and embeds the rest. */
  async #findOrEmbed(texts: TextsByKey, isUrgent: boolean): Promise<EmbeddingFailure | undefined> {
    const { shared, vectors, health } = this.#options;
    // Only the model itself determines the number of dimensions.
    const { dimensions } = vectors;
    if (shared === undefined || dimensions === undefined) return this.#embed(texts, isUrgent, shared);
    const found = await shared.find([...texts.keys()]);
    const rest = new Map(texts);
    [...texts.keys()].forEach((key, at) => {
      const vector = found[at];
      if (vector?.length === dimensions && vectors.add([[key, vector]])) rest.delete(key);
    });
    if (rest.size > 0) return this.#embed(rest, isUrgent, shared);
    health.calls.abandon();
    return undefined;
  }

  async #embed(
    texts: TextsByKey,
    isUrgent: boolean,
    shared?: SharedVectors,
  ): Promise<EmbeddingFailure | undefined> {
    const { embedder, deadline, health, closing } = this.#options;
    try {
      const signal = AbortSignal.any([deadline(CALL_MS), closing]);
      const numbers = await embedder.embed([...texts.values()], { signal, isUrgent });
      const kept = this.#keep([...texts.keys()], numbers);
      shared?.keep(kept);
      health.calls.succeed();
      this.#strangeInRow = 0;
      if (texts.size >= this.#batchSize) this.#batchSize = Math.min(this.#batchSize + 1, embedder.batchSize);
      // An embedder that is always too late does not count as working.
      if (health.patience.state === 'closed') health.tell({ kind: 'working' });
      return undefined;
    } catch (cause) {
      const reason = cause instanceof EmbeddingError ? cause.code : 'model_lost';
      health.calls.fail();
      if (reason === 'slow' && texts.size > 1) this.#batchSize = Math.floor(texts.size / 2);
      if (!closing.aborted) health.tell({ kind: 'failing', reason, cause });
      return reason;
    }
  }

  /** Caches vectors and returns the accepted entries. */
  #keep(keys: readonly string[], numbers: readonly ArrayLike<unknown>[]): readonly VectorEntry[] {
    const vectors = numbers.map(toInt8Vector);
    const entries = keys.flatMap((key, at): [string, Int8Vector][] =>
      vectors[at] ? [[key, vectors[at]]] : [],
    );
    if (numbers.length !== keys.length || entries.length < keys.length)
      throw new EmbeddingError(
        'invalid_response',
        'a vector is missing, zero, or contains values that are not numbers',
      );
    const { vectors: cache } = this.#options;
    if (!cache.add(entries)) {
      // If the dimensions differ repeatedly, the model has probably changed for good.
      if (++this.#strangeInRow >= BREAKER.failures) cache.clear();
      throw new EmbeddingError('invalid_response', 'vectors have other dimensions than the previous ones');
    }
    return entries;
  }
}
