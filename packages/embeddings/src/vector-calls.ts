import { type Int8Vector, toInt8Vector } from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import { EmbeddingError, type EmbeddingFailure } from './embedding-error.ts';
import type { MeaningHealth } from './meaning-health.ts';
import type { SharedVectors } from './shared-vectors.ts';
import type { VectorCache } from './vector-cache.ts';
import type { VectorEntry } from './vector-text.ts';

/** What calls are made with. */
export interface VectorCallsOptions {
  readonly embedder: Embedder;
  /** Where the vectors of tools are looked for before they are worked out, and kept for other processes. */
  readonly shared: SharedVectors | undefined;
  /** Where vectors go. */
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Ends all calls. */
  readonly closing: AbortSignal;
}

/** What texts are of: queries are people's, and kept in memory alone. */
export type TextsOf = 'query' | 'tools';

/** Texts by their keys. */
export type TextsByKey = ReadonlyMap<string, string>;

/** After this a call has failed, whether anybody waits for it or not. */
const CALL_MS = 10_000;

/** Calls for searches that may be under way; searches beyond go without what they lack. */
const MAX_URGENT_CALLS = 16;

/** Texts of which is known that the embedder will not have them. */
const MAX_REFUSED = 10_000;

/**
 * Calls by which vectors come: each text is under way once, whoever waits for it.
 *
 * Contract: nothing here rejects. What comes is in `vectors` when a call has ended; `health` is told how it ended.
 */
export class VectorCalls {
  readonly #options: VectorCallsOptions;
  /** Texts that a call is under way for. */
  readonly #coming = new Map<string, Promise<void>>();
  readonly #refused = new RecentMap<string, true>(MAX_REFUSED);
  #urgentCalls = 0;

  constructor(options: VectorCallsOptions) {
    this.#options = options;
  }

  /** Has vectors worked out for a search; gives when they are there or have failed, and undefined when nothing can be done. */
  request(texts: TextsByKey, of: TextsOf): Promise<unknown> | undefined {
    const { embedder, health } = this.#options;
    const fresh = [...texts].filter(([key]) => !this.#coming.has(key));
    const { batchSize } = embedder;
    for (let from = 0; from < fresh.length; from += batchSize) {
      if (this.#urgentCalls >= MAX_URGENT_CALLS || !health.calls.admit()) break;
      this.#urgentCalls++;
      const call = this.call(new Map(fresh.slice(from, from + batchSize)), { of, isUrgent: true });
      void call.finally(() => this.#urgentCalls--);
    }
    const calls = new Set([...texts.keys()].flatMap((key) => this.#coming.get(key) ?? []));
    return calls.size === 0 ? undefined : Promise.all(calls);
  }

  /** One call that the breaker has admitted; gives why it failed, and undefined when it did not. */
  async call(
    texts: TextsByKey,
    { of, isUrgent }: { of: TextsOf; isUrgent: boolean },
  ): Promise<EmbeddingFailure | undefined> {
    const call = of === 'tools' ? this.#findOrEmbed(texts, isUrgent) : this.#embed(texts, isUrgent);
    const settled = call.then(() => {});
    for (const key of texts.keys()) this.#coming.set(key, settled);
    const failure = await call;
    for (const key of texts.keys()) this.#coming.delete(key);
    // Three in a row are no matter of their texts, but of the model or the key.
    if (failure === 'refused' && this.#options.health.calls.state === 'closed')
      for (const key of texts.keys()) this.#refused.set(key, true);
    return failure;
  }

  /** Whether a text had no vector when it was asked for, and would have none if it was asked for again. */
  isRefused(key: string): boolean {
    return this.#refused.peek(key) === true;
  }

  /** Asks those with whom vectors are shared first. */
  async #findOrEmbed(texts: TextsByKey, isUrgent: boolean): Promise<EmbeddingFailure | undefined> {
    const { shared, vectors, health } = this.#options;
    // Only the model itself is trusted to say how many dimensions it has.
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
    const { embedder, deadline, health, vectors, closing } = this.#options;
    try {
      const signal = AbortSignal.any([deadline(CALL_MS), closing]);
      const numbers = await embedder.embed([...texts.values()], { signal, isUrgent });
      const kept = this.#keep([...texts.keys()], numbers);
      shared?.keep(kept);
      health.calls.succeed();
      // One that only ever comes too late does not work yet.
      if (health.patience.state === 'closed') health.tell({ kind: 'working' });
      return undefined;
    } catch (cause) {
      const reason = cause instanceof EmbeddingError ? cause.code : 'model_lost';
      health.calls.fail();
      // Whoever has given other vectors until now may be another model since, and may stay it.
      if (reason === 'invalid_response' && health.calls.state === 'open') vectors.clear();
      if (!closing.aborted) health.tell({ kind: 'failing', reason, cause });
      return reason;
    }
  }

  /** Gives what was kept. */
  #keep(keys: readonly string[], numbers: readonly ArrayLike<unknown>[]): readonly VectorEntry[] {
    const vectors = numbers.map(toInt8Vector);
    const entries = keys.flatMap((key, at): [string, Int8Vector][] =>
      vectors[at] ? [[key, vectors[at]]] : [],
    );
    if (numbers.length !== keys.length || entries.length < keys.length)
      throw new EmbeddingError(
        'invalid_response',
        'a vector is missing, zero, or holds something else than numbers',
      );
    if (!this.#options.vectors.add(entries))
      throw new EmbeddingError('invalid_response', 'vectors have other dimensions than those before');
    return entries;
  }
}
