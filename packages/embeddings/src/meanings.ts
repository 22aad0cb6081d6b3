import type { MeaningGap } from '@winnow/core';
import { type Int8Vector, type MeaningSource, type MeaningVectors, tellingSentences } from '@winnow/ranking';
import { BackgroundEmbedding } from './background-embedding.ts';
import type { Embedder } from './embedder.ts';
import { MeaningHealth, type MeaningState, VectorCalls } from './vector-calls.ts';
import { keyOf, NearestKnown, type Texts, VectorCache } from './vectors.ts';

export interface MeaningsOptions {
  readonly embedder: Embedder;
  /** Memory for vectors, in bytes. */
  readonly maxBytes: number;
  /** Time that a search waits for the vector of its query, in milliseconds. */
  readonly budgetMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Waits; ends early if the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
  /** Called once when vectors stop arriving, and once when they arrive again. */
  readonly onChange: (state: MeaningState) => void;
}

export interface SearchMeaning extends MeaningSource {
  /** Whether the search requested vectors: a regular expression or a glob does not. */
  readonly wasAsked: boolean;
  /** The reason why some requested vectors are lacking; undefined if none are. */
  readonly degraded: MeaningGap | undefined;
}

/**
 * Vectors of a query. `sentences` is undefined if they did not arrive in time, and empty if the query has
 * none.
 */
type QueryVectors = Pick<MeaningVectors, 'query' | 'sentences'>;

/** Time that a search with its query's vector waits for those of tools, in milliseconds. */
const TOOLS_BUDGET_MS = 10;

/** A quarter of the memory is for second copies of vectors, in tables for fast scans. */
const TABLES_SHARE = 4;

/**
 * Characters of a query that are embedded: more than small models read, and few enough for every endpoint.
 */
const MAX_QUERY_CHARS = 2_000;

/**
 * The vectors of tools and queries: each is computed once and kept.
 *
 * Contract: nothing rejects or throws. Searches wait at most for the budget; missing vectors are computed
 * afterwards. After three failures in a row the embedder is not called for five seconds, and then tried
 * again.
 */
export class Meanings {
  readonly #options: MeaningsOptions;
  readonly #health: MeaningHealth;
  readonly #vectors: VectorCache;
  readonly #calls: VectorCalls;
  readonly #background: BackgroundEmbedding;
  readonly #nearestKnown: NearestKnown;
  readonly #closing = new AbortController();

  constructor(options: MeaningsOptions) {
    const { embedder, maxBytes, now, deadline, wait, pause, onChange } = options;
    const closing = this.#closing.signal;
    this.#options = options;
    const health = new MeaningHealth(now, onChange);
    const vectors = new VectorCache(maxBytes - maxBytes / TABLES_SHARE);
    const calls = new VectorCalls({ embedder, vectors, health, deadline, closing });
    this.#background = new BackgroundEmbedding({ calls, vectors, health, wait, pause, closing });
    this.#nearestKnown = new NearestKnown({
      ...{ vectors, maxBytes: maxBytes / TABLES_SHARE, pause },
      isRefused: (key) => calls.isRefused(key),
    });
    this.#health = health;
    this.#vectors = vectors;
    this.#calls = calls;
  }

  get size(): number {
    return this.#vectors.size;
  }

  get bytes(): number {
    return this.#vectors.bytes + this.#nearestKnown.bytes;
  }

  /** Whether vectors have stopped arriving. */
  get isFailing(): boolean {
    return this.#health.failure !== undefined;
  }

  /** Opens the meaning of one search over some texts. */
  search(all: Texts): SearchMeaning {
    const texts = this.#known(all);
    this.#background.renew(texts);
    let wasAsked = false;
    let degraded: MeaningGap | undefined;
    const waits = new Map<string, Promise<QueryVectors | undefined>>();
    /** Returns the query's vectors. A search waits once, however often it calls this. */
    const queryVectors = (pattern: string): Promise<QueryVectors | undefined> => {
      const query = pattern.slice(0, MAX_QUERY_CHARS);
      const coming = waits.get(query) ?? this.#queryVectors(query);
      waits.set(query, coming);
      return coming;
    };
    return {
      get wasAsked() {
        return wasAsked;
      },
      get degraded() {
        return degraded;
      },
      vectorsOf: async (query, positions) => {
        if (!this.#knows(query)) return undefined;
        wasAsked = true;
        const asked = positions.map((position) => texts.textOf(position));
        const vectors = await this.#vectorsOf(await queryVectors(query), asked);
        if (vectors?.sentences === undefined) degraded ??= this.#gapOr('deadline');
        else if (vectors.tools.some((vector, at) => vector === undefined && asked[at] !== undefined))
          degraded ??= this.#gapOr('missing_vectors');
        return vectors;
      },
      nearest: async (query, search) => {
        if (!this.#knows(query)) return undefined;
        wasAsked = true;
        const vectors = await queryVectors(query);
        const found = vectors && (await this.#nearestKnown.find(vectors.query, texts, search));
        if (vectors === undefined) degraded ??= this.#gapOr('deadline');
        else if (found === undefined) degraded ??= 'too_many_tools';
        else if (!found.isComplete) degraded ??= this.#gapOr('missing_vectors');
        return found?.nearest;
      },
    };
  }

  /**
   * Embeds texts that lack vectors, in the background; `of` identifies their source, which is learnt once, and
   * again after the model has changed.
   */
  learn(of: object, texts: Texts): void {
    this.#background.add(of, this.#known(texts));
  }

  /** Returns the reason for lacking vectors: the embedder's failure if there is one. */
  #gapOr(gap: MeaningGap): MeaningGap {
    const { failure } = this.#health;
    if (failure === undefined) return gap;
    return failure === 'slow' ? 'deadline' : 'failed';
  }

  /** Leaves out the texts in scripts that the model does not know: only words decide about them. */
  #known({ count, table, textOf }: Texts): Texts {
    const known = (text: string | undefined) => (text !== undefined && this.#knows(text) ? text : undefined);
    return { count, table, textOf: (position) => known(textOf(position)) };
  }

  #knows(text: string): boolean {
    return this.#options.embedder.knows?.(text) ?? true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#background.clear();
    await this.#options.embedder.close();
  }

  async #vectorsOf(
    asked: QueryVectors | undefined,
    texts: readonly (string | undefined)[],
  ): Promise<MeaningVectors | undefined> {
    const keys = texts.map((text) => (text === undefined ? undefined : keyOf(text)));
    const missing = new Map<string, string>();
    keys.forEach((key, at) => {
      if (key !== undefined && this.#vectors.get(key) === undefined) missing.set(key, texts[at]!);
    });
    const coming = this.#calls.request(missing);
    if (asked === undefined) return undefined;
    if (coming !== undefined) await this.#inTime(coming, TOOLS_BUDGET_MS);
    return { ...asked, tools: keys.map((key) => (key === undefined ? undefined : this.#vectors.get(key))) };
  }

  /** Returns the vectors of a query. The whole query is first, so that late sentences do not delay it. */
  async #queryVectors(query: string): Promise<QueryVectors | undefined> {
    const { now, budgetMs } = this.#options;
    const startedAt = now();
    const coming = this.#queryVector(query);
    const sentences = new Map(tellingSentences(query).map((text) => [keyOf(text), text]));
    const missing = new Map([...sentences].filter(([key]) => this.#vectors.get(key) === undefined));
    const comingToo = this.#calls.request(missing);
    const vector = await coming;
    if (vector === undefined) return undefined;
    if (comingToo !== undefined) await this.#inTime(comingToo, Math.max(0, budgetMs - (now() - startedAt)));
    const known = [...sentences.keys()].map((key) => this.#vectors.get(key));
    const isComplete = known.every((one) => one !== undefined);
    return isComplete ? { query: vector, sentences: known } : { query: vector };
  }

  async #queryVector(query: string): Promise<Int8Vector | undefined> {
    const key = keyOf(query);
    const known = this.#vectors.get(key);
    if (known !== undefined) return known;
    const { patience } = this.#health;
    const coming = this.#calls.request(new Map([[key, query]]));
    if (coming === undefined || !patience.admit()) return undefined;
    const isInTime = await this.#inTime(coming, this.#options.budgetMs);
    if (isInTime) patience.succeed();
    else patience.fail();
    if (!isInTime && patience.state === 'open') this.#health.tell({ kind: 'failing', reason: 'slow' });
    const vector = this.#vectors.get(key);
    if (isInTime && vector !== undefined) this.#health.tell({ kind: 'working' });
    return vector;
  }

  /** Waits for some work within the budget; returns whether it finished. */
  async #inTime(work: Promise<unknown>, budgetMs: number): Promise<boolean> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, this.#closing.signal]);
    const isDone = await Promise.race([
      work.then(() => true),
      this.#options.wait(budgetMs, signal).then(() => false),
    ]);
    done.abort();
    return isDone;
  }
}
