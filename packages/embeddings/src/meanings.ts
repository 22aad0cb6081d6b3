import {
  type Int8Vector,
  type MeaningSource,
  type MeaningVectors,
  type NearestSearch,
  type NearTool,
  nearestOf,
  toInt8Vector,
} from '@winnow/ranking';
import { CircuitBreaker } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import { EmbeddingError, type EmbeddingFailure } from './embedding-error.ts';
import { KeptVectors, type KeptVectorsOptions } from './kept-vectors.ts';
import type { SharedVectors } from './shared-vectors.ts';
import { keyOf, VectorCache } from './vector-cache.ts';
import type { VectorEntry } from './vector-text.ts';

/** How meaning is had. */
export interface MeaningsOptions {
  readonly embedder: Embedder;
  /** Keeps vectors over restarts; without it they are worked out again. */
  readonly notes?: KeptVectorsOptions['notes'] | undefined;
  /** Where the vectors of tools are looked for before they are worked out, and kept for other processes. */
  readonly shared?: SharedVectors | undefined;
  /** Memory for vectors. */
  readonly maxBytes: number;
  /** How long a search waits for the vector of its query. */
  readonly budgetMs: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Waits; ends early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** Told once when vectors stop coming, and once when they come again. */
  readonly onChange: (state: MeaningState) => void;
}

export type MeaningState =
  | { readonly kind: 'working' }
  | { readonly kind: 'failing'; readonly reason: EmbeddingFailure; readonly cause?: unknown };

/** Texts by their numbers, from 0. Held as long as they are learnt. */
export interface Texts {
  readonly count: number;
  /** Undefined for one that is not there any more. */
  textOf(position: number): string | undefined;
  /** What the numbers are of: as long as it is the same, each stands for the same text. */
  readonly table: object;
}

/** The meaning of one search. */
export interface SearchMeaning extends MeaningSource {
  /** Whether the search has asked for vectors: a regular expression, a glob or a single match does not. */
  readonly wasAsked: boolean;
  /** Whether some vectors that the search asked for were not there in time. */
  readonly isDegraded: boolean;
}

/** What texts are of: queries are people's, and kept in memory alone. */
type TextsOf = 'query' | 'tools';

/** How long a search that has its query's vector waits for those of tools. */
const TOOLS_BUDGET_MS = 10;

/** After this a call has failed, whether anybody waits for it or not. */
const CALL_MS = 10_000;

const BREAKER = { failures: 3, openMs: 5_000 };

/** Calls for searches that may be under way; searches beyond go without what they lack. */
const MAX_URGENT_CALLS = 16;

/** Texts that are looked up in one go: about a millisecond. */
const TEXTS_PER_SLICE = 256;

/** Of a query: more than the small models read, and less than what makes any endpoint refuse it. */
const MAX_QUERY_CHARS = 2_000;

/** Catalogues that wait to be learnt; of more, those that came first are let go, and learnt by the searches that need them. */
const MAX_WAITING = 64;

/**
 * The vectors of tools and queries: each worked out once and kept.
 *
 * Contract: nothing here rejects or throws. Searches wait for at most the budget; what they lacked is worked out behind them. An embedder
 * that fails three times in a row is left alone for five seconds, and then tried again.
 */
export class Meanings {
  readonly #options: MeaningsOptions;
  /** Over calls. */
  readonly #breaker: CircuitBreaker;
  /** Over waiting for the vectors of queries: where they always come too late, nobody waits for them. */
  readonly #patience: CircuitBreaker;
  readonly #vectors: VectorCache;
  /** Texts that a call is under way for. */
  readonly #coming = new Map<string, Promise<void>>();
  readonly #toLearn: Texts[] = [];
  readonly #known = new WeakSet<object>();
  readonly #keys = new WeakMap<object, (string | undefined)[]>();
  readonly #closing = new AbortController();
  /** Undefined without notes. */
  readonly #kept: KeptVectors | undefined;
  #urgentCalls = 0;
  #isLearning = false;
  #isFailing = false;

  constructor(options: MeaningsOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker({ ...BREAKER, now: options.now });
    this.#patience = new CircuitBreaker({ ...BREAKER, now: options.now });
    this.#vectors = new VectorCache(options.maxBytes);
    const { notes, pause } = options;
    this.#kept = notes && new KeptVectors({ notes, vectors: this.#vectors, pause });
  }

  get size(): number {
    return this.#vectors.size;
  }

  get bytes(): number {
    return this.#vectors.bytes;
  }

  /** Whether vectors have stopped coming. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The meaning of one search over some texts. */
  search(texts: Texts): SearchMeaning {
    let [wasAsked, isDegraded] = [false, false];
    return {
      get wasAsked() {
        return wasAsked;
      },
      get isDegraded() {
        return isDegraded;
      },
      vectorsOf: async (query, positions) => {
        wasAsked = true;
        const vectors = await this.#vectorsOf(
          query,
          positions.map((position) => texts.textOf(position) ?? ''),
        );
        isDegraded ||= vectors === undefined || vectors.tools.includes(undefined);
        return vectors;
      },
      nearest: async (query, search) => {
        wasAsked = true;
        const found = await this.#nearest(query, texts, search);
        isDegraded ||= found === undefined || !found.isComplete;
        return found?.nearest;
      },
    };
  }

  /** Works out the vectors of texts that lack them, in the background; `of` is what they are texts of, which is learnt once. */
  learn(of: object, texts: Texts): void {
    if (this.#known.has(of)) return;
    this.#known.add(of);
    this.#toLearn.push(texts);
    if (this.#toLearn.length > MAX_WAITING) this.#toLearn.shift();
    if (!this.#isLearning) void this.#learnAll();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#toLearn.length = 0;
    await this.#kept?.close();
    await this.#options.embedder.close();
  }

  async #vectorsOf(pattern: string, texts: readonly string[]): Promise<MeaningVectors | undefined> {
    const query = pattern.slice(0, MAX_QUERY_CHARS);
    const asked = keyOf(query);
    const keys = texts.map(keyOf);
    const vector = this.#vectors.get(asked) ?? (await this.#queryVector(asked, query));
    const missing = new Map(keys.map((key, at) => [key, texts[at]!]));
    for (const key of keys) if (this.#vectors.get(key) !== undefined) missing.delete(key);
    const coming = this.#request(missing, 'tools');
    if (vector === undefined) return undefined;
    if (coming !== undefined) await this.#inTime(coming, TOOLS_BUDGET_MS);
    return { query: vector, tools: keys.map((key) => this.#vectors.get(key)) };
  }

  /** The nearest tools by the vectors that are known, and whether all of them are. */
  async #nearest(
    pattern: string,
    texts: Texts,
    search: NearestSearch,
  ): Promise<{ nearest: readonly NearTool[]; isComplete: boolean } | undefined> {
    const query = pattern.slice(0, MAX_QUERY_CHARS);
    const asked = keyOf(query);
    const vector = this.#vectors.get(asked) ?? (await this.#queryVector(asked, query));
    if (vector === undefined) return undefined;
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
    const { pause } = this.#options;
    const nearest = await nearestOf({ query: vector, count: texts.count, vectorOf, pause }, search);
    return nearest && { nearest, isComplete };
  }

  /** Keys of texts by their numbers, as far as they were worked out. */
  #keysOf(table: object): (string | undefined)[] {
    const known = this.#keys.get(table) ?? [];
    this.#keys.set(table, known);
    return known;
  }

  async #queryVector(key: string, query: string): Promise<Int8Vector | undefined> {
    const coming = this.#request(new Map([[key, query]]), 'query');
    if (coming === undefined || !this.#patience.admit()) return undefined;
    const isInTime = await this.#inTime(coming, this.#options.budgetMs);
    if (isInTime) this.#patience.succeed();
    else this.#patience.fail();
    if (!isInTime && this.#patience.state === 'open') this.#tell({ kind: 'failing', reason: 'slow' });
    const vector = this.#vectors.get(key);
    if (isInTime && vector !== undefined) this.#tell({ kind: 'working' });
    return vector;
  }

  /** Has vectors worked out for a search; gives when they are there or have failed, and undefined when nothing can be done. */
  #request(texts: ReadonlyMap<string, string>, of: TextsOf): Promise<unknown> | undefined {
    const fresh = [...texts].filter(([key]) => !this.#coming.has(key));
    const { batchSize } = this.#options.embedder;
    for (let from = 0; from < fresh.length; from += batchSize) {
      if (this.#urgentCalls >= MAX_URGENT_CALLS || !this.#breaker.admit()) break;
      this.#urgentCalls++;
      const call = this.#call(new Map(fresh.slice(from, from + batchSize)), { of, isUrgent: true });
      void call.finally(() => this.#urgentCalls--);
    }
    const calls = new Set([...texts.keys()].flatMap((key) => this.#coming.get(key) ?? []));
    return calls.size === 0 ? undefined : Promise.all(calls);
  }

  /** Waits for some work, no longer than the budget; gives whether it was done. */
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

  /** One call that the breaker has admitted; gives why it failed, and undefined when it did not. */
  async #call(
    texts: ReadonlyMap<string, string>,
    { of, isUrgent }: { of: TextsOf; isUrgent: boolean },
  ): Promise<EmbeddingFailure | undefined> {
    const call = of === 'tools' ? this.#findOrEmbed(texts, isUrgent) : this.#embed(texts, isUrgent);
    const settled = call.then(() => {});
    for (const key of texts.keys()) this.#coming.set(key, settled);
    const failure = await call;
    for (const key of texts.keys()) this.#coming.delete(key);
    return failure;
  }

  /** Asks those with whom vectors are shared first. */
  async #findOrEmbed(
    texts: ReadonlyMap<string, string>,
    isUrgent: boolean,
  ): Promise<EmbeddingFailure | undefined> {
    const { shared } = this.#options;
    // Only the model itself is trusted to say how many dimensions it has.
    const { dimensions } = this.#vectors;
    if (shared === undefined || dimensions === undefined) return this.#embed(texts, isUrgent, shared);
    const found = await shared.find([...texts.keys()]);
    const rest = new Map(texts);
    [...texts.keys()].forEach((key, at) => {
      const vector = found[at];
      if (vector?.length === dimensions && this.#vectors.add([[key, vector]])) rest.delete(key);
    });
    if (rest.size > 0) return this.#embed(rest, isUrgent, shared);
    this.#breaker.abandon();
    return undefined;
  }

  async #embed(
    texts: ReadonlyMap<string, string>,
    isUrgent: boolean,
    shared?: SharedVectors,
  ): Promise<EmbeddingFailure | undefined> {
    const { embedder, deadline } = this.#options;
    try {
      const signal = AbortSignal.any([deadline(CALL_MS), this.#closing.signal]);
      const vectors = await embedder.embed([...texts.values()], { signal, isUrgent });
      const kept = this.#keep([...texts.keys()], vectors);
      shared?.keep(kept);
      this.#breaker.succeed();
      // One that only ever comes too late does not work yet.
      if (this.#patience.state === 'closed') this.#tell({ kind: 'working' });
      return undefined;
    } catch (cause) {
      const reason = cause instanceof EmbeddingError ? cause.code : 'model_lost';
      this.#breaker.fail();
      // Whoever has given other vectors until now may be another model since, and may stay it.
      if (reason === 'invalid_response' && this.#breaker.state === 'open') this.#vectors.clear();
      if (!this.#closing.signal.aborted) this.#tell({ kind: 'failing', reason, cause });
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
    if (!this.#vectors.add(entries))
      throw new EmbeddingError('invalid_response', 'vectors have other dimensions than those before');
    return entries;
  }

  #tell(state: MeaningState): void {
    const isFailing = state.kind === 'failing';
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#options.onChange(state);
  }

  async #learnAll(): Promise<void> {
    this.#isLearning = true;
    const { signal } = this.#closing;
    await this.#kept?.load();
    for (let texts = this.#toLearn.shift(); texts && !signal.aborted; texts = this.#toLearn.shift())
      await this.#learnOne(texts, signal);
    if (!signal.aborted) await this.#kept?.settle();
    this.#isLearning = false;
    if (this.#toLearn.length > 0 && !signal.aborted) void this.#learnAll();
  }

  async #learnOne(texts: Texts, signal: AbortSignal): Promise<void> {
    const { pause, wait } = this.#options;
    for (let position = 0; position < texts.count && !signal.aborted; ) {
      const { batch, next } = this.#nextBatch(texts, position);
      if (batch.size === 0) {
        position = next;
        await pause();
      } else if (!this.#breaker.admit()) {
        await wait(BREAKER.openMs, signal);
      } else {
        const failure = await this.#call(batch, { of: 'tools', isUrgent: false });
        if (failure === undefined) this.#kept?.keep(batch.keys());
        // What is refused would be refused again; everything else may pass.
        if (failure === undefined || failure === 'refused') position = next;
        else await wait(BREAKER.openMs, signal);
      }
    }
  }

  /** Texts that lack a vector, from a position on; after many that do not, there may be none. */
  #nextBatch({ count, textOf }: Texts, position: number): { batch: Map<string, string>; next: number } {
    const batch = new Map<string, string>();
    const { batchSize } = this.#options.embedder;
    const end = Math.min(count, position + TEXTS_PER_SLICE);
    let next = position;
    for (; next < end && batch.size < batchSize; next++) {
      const text = textOf(next);
      const key = text === undefined ? undefined : keyOf(text);
      if (key === undefined) continue;
      this.#kept?.want(key);
      if (this.#vectors.get(key) === undefined) batch.set(key, text!);
      else this.#kept?.keep([key]);
    }
    return { batch, next };
  }
}
