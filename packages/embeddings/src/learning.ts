import type { KeptVectors } from './kept-vectors.ts';
import { BREAKER, type MeaningHealth } from './meaning-health.ts';
import type { Texts } from './texts.ts';
import { keyOf, type VectorCache } from './vector-cache.ts';
import type { VectorCalls } from './vector-calls.ts';

/** Dependencies of learning. */
export interface LearningOptions {
  readonly calls: Pick<VectorCalls, 'call'>;
  /** Maximum number of texts per call. */
  readonly batchSize: number;
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
  /** Undefined without notes. */
  readonly kept: KeptVectors | undefined;
  /** Waits; ends early if the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
  readonly closing: AbortSignal;
}

/** Number of texts to look up per slice: about a millisecond. */
const TEXTS_PER_SLICE = 256;

/**
 * Maximum number of waiting catalogues; beyond it, the oldest are dropped and left to the searches that need
 * them.
 */
const MAX_WAITING = 64;

/**
 * Embeds whole catalogues in the background, one after another, and resumes after a failure. Never rejects.
 */
export class Learning {
  readonly #options: LearningOptions;
  readonly #waiting: Texts[] = [];
  readonly #known = new WeakSet<object>();
  #isRunning = false;

  constructor(options: LearningOptions) {
    this.#options = options;
  }

  /** Embeds the texts that lack vectors; `of` identifies their source, which is learnt once. */
  add(of: object, texts: Texts): void {
    if (this.#known.has(of)) return;
    this.#known.add(of);
    this.#waiting.push(texts);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (!this.#isRunning) void this.#learnAll();
  }

  /** Drops all waiting catalogues. */
  clear(): void {
    this.#waiting.length = 0;
  }

  async #learnAll(): Promise<void> {
    const { kept, closing } = this.#options;
    this.#isRunning = true;
    await kept?.load();
    for (let texts = this.#waiting.shift(); texts && !closing.aborted; texts = this.#waiting.shift())
      await this.#learnOne(texts);
    if (!closing.aborted) await kept?.settle();
    this.#isRunning = false;
    if (this.#waiting.length > 0 && !closing.aborted) void this.#learnAll();
  }

  async #learnOne(texts: Texts): Promise<void> {
    const { calls, health, kept, pause, wait, closing } = this.#options;
    for (let position = 0; position < texts.count && !closing.aborted; ) {
      const { batch, next } = this.#nextBatch(texts, position);
      if (batch.size === 0) {
        position = next;
        await pause();
      } else if (!health.calls.admit()) {
        await wait(BREAKER.openMs, closing);
      } else {
        const failure = await calls.call(batch, { of: 'tools', isUrgent: false });
        if (failure === undefined) kept?.keep(batch.keys());
        // A rejected batch would be rejected again; all other failures may be temporary.
        if (failure === undefined || failure === 'refused') position = next;
        else await wait(BREAKER.openMs, closing);
      }
    }
  }

  /**
   * Returns texts without a vector, starting at a position; possibly none, if a long run of texts has
   * vectors.
   */
  #nextBatch({ count, textOf }: Texts, position: number): { batch: Map<string, string>; next: number } {
    const { batchSize, vectors, kept } = this.#options;
    const batch = new Map<string, string>();
    const end = Math.min(count, position + TEXTS_PER_SLICE);
    let next = position;
    for (; next < end && batch.size < batchSize; next++) {
      const text = textOf(next);
      const key = text === undefined ? undefined : keyOf(text);
      if (key === undefined) continue;
      kept?.want(key);
      if (vectors.get(key) === undefined) batch.set(key, text!);
      else kept?.keep([key]);
    }
    return { batch, next };
  }
}
