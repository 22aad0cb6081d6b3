import { type Int8Vector, toInt8Vector } from '@winnow/ranking';
import { CircuitBreaker, RecentMap } from '@winnow/service';
import { type Embedder, EmbeddingError, type EmbeddingFailure } from './embedder.ts';
import type { VectorCache } from './vectors.ts';

/** Dependencies of calls. */
export interface VectorCallsOptions {
  readonly embedder: Embedder;
  /** The cache that receives the vectors. */
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Cancels all calls. */
  readonly closing: AbortSignal;
}

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
  request(texts: TextsByKey): Promise<unknown> | undefined {
    const { health } = this.#options;
    const fresh = [...texts].filter(([key]) => !this.#coming.has(key));
    const batchSize = this.#batchSize;
    for (let from = 0; from < fresh.length; from += batchSize) {
      if (this.#urgentCalls >= MAX_URGENT_CALLS || !health.calls.admit()) break;
      this.#urgentCalls++;
      const call = this.call(new Map(fresh.slice(from, from + batchSize)), true);
      void call.finally(() => this.#urgentCalls--);
    }
    const calls = new Set([...texts.keys()].flatMap((key) => this.#coming.get(key) ?? []));
    return calls.size === 0 ? undefined : Promise.all(calls);
  }

  /** Makes one call that the breaker admitted. Returns the reason of its failure, undefined on success. */
  async call(texts: TextsByKey, isUrgent: boolean): Promise<EmbeddingFailure | undefined> {
    const call = this.#embed(texts, isUrgent);
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

  async #embed(texts: TextsByKey, isUrgent: boolean): Promise<EmbeddingFailure | undefined> {
    const { embedder, deadline, health, closing } = this.#options;
    try {
      const signal = AbortSignal.any([deadline(CALL_MS), closing]);
      const numbers = await embedder.embed([...texts.values()], { signal, isUrgent });
      this.#keep([...texts.keys()], numbers);
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

  /** Caches vectors. */
  #keep(keys: readonly string[], numbers: readonly ArrayLike<unknown>[]): void {
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
  }
}

export type MeaningState =
  | { readonly kind: 'working' }
  | { readonly kind: 'failing'; readonly reason: EmbeddingFailure; readonly cause?: unknown };

export const BREAKER = { failures: 3, openMs: 5_000 };

/** The health of the embedder; reports each change once. */
export class MeaningHealth {
  /** Circuit breaker for calls. */
  readonly calls: CircuitBreaker;
  /** Circuit breaker for waiting on query vectors: if they always arrive too late, searches stop waiting. */
  readonly patience: CircuitBreaker;
  readonly #onChange: (state: MeaningState) => void;
  #failure: EmbeddingFailure | undefined;

  constructor(now: () => number, onChange: (state: MeaningState) => void) {
    this.calls = new CircuitBreaker({ ...BREAKER, now });
    this.patience = new CircuitBreaker({ ...BREAKER, now });
    this.#onChange = onChange;
  }

  /** The latest reason why vectors have stopped arriving; undefined while they arrive. */
  get failure(): EmbeddingFailure | undefined {
    return this.#failure;
  }

  tell(state: MeaningState): void {
    const failure = state.kind === 'failing' ? state.reason : undefined;
    const isChange = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isChange) this.#onChange(state);
  }
}
