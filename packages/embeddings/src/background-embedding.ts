import { BREAKER, type MeaningHealth, type VectorCalls } from './vector-calls.ts';
import { keyOf, type Texts, type VectorCache } from './vectors.ts';

/** Dependencies of embedding in the background. */
export interface BackgroundEmbeddingOptions {
  readonly calls: Pick<VectorCalls, 'call' | 'batchSize'>;
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
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

/** Texts to learn, and their source. */
interface Waiting {
  readonly of: object;
  readonly texts: Texts;
}

/**
 * Embeds whole catalogues in the background, one after another, resumes after a failure, and starts again
 * when the known vectors have been discarded. Never rejects.
 */
export class BackgroundEmbedding {
  readonly #options: BackgroundEmbeddingOptions;
  readonly #waiting: Waiting[] = [];
  /** By source: the era of its vectors. */
  readonly #known = new WeakMap<object, object>();
  readonly #firstEra: object;
  #isRunning = false;

  constructor(options: BackgroundEmbeddingOptions) {
    this.#options = options;
    this.#firstEra = options.vectors.era;
  }

  /**
   * Embeds the texts that lack vectors; `of` identifies their source, which is learnt once, and again after the
   * vectors have been discarded.
   */
  add(of: object, texts: Texts): void {
    if (this.#known.get(of) === this.#options.vectors.era) return;
    this.#markKnown({ of, texts });
    this.#waiting.push({ of, texts });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (!this.#isRunning) void this.#learnAll();
  }

  /** Embeds the texts of a search again if their vectors have been discarded. */
  renew(texts: Texts): void {
    if (this.#options.vectors.era !== this.#firstEra) this.add(texts.table, texts);
  }

  /** Drops all waiting catalogues. */
  clear(): void {
    this.#waiting.length = 0;
  }

  async #learnAll(): Promise<void> {
    const { pause, closing } = this.#options;
    this.#isRunning = true;
    // The search that renews vectors has the first call after a failure.
    await pause();
    for (let next = this.#waiting.shift(); next && !closing.aborted; next = this.#waiting.shift())
      await this.#learnOne(next);
    this.#isRunning = false;
    if (this.#waiting.length > 0 && !closing.aborted) void this.#learnAll();
  }

  #markKnown({ of, texts }: Waiting): void {
    const { era } = this.#options.vectors;
    this.#known.set(of, era).set(texts.table, era);
  }

  async #learnOne(waiting: Waiting): Promise<void> {
    const { calls, health, pause, vectors, wait, closing } = this.#options;
    const { texts } = waiting;
    let era: object | undefined;
    for (let position = 0; position < texts.count && !closing.aborted; ) {
      if (era !== vectors.era) {
        [era, position] = [vectors.era, 0];
        this.#markKnown(waiting);
      }
      const { batch, next } = this.#nextBatch(texts, position);
      if (batch.size === 0) {
        position = next;
        await pause();
      } else if (!health.calls.admit()) {
        await wait(BREAKER.openMs, closing);
      } else {
        const failure = await calls.call(batch, false);
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
    const { calls, vectors } = this.#options;
    const batch = new Map<string, string>();
    const end = Math.min(count, position + TEXTS_PER_SLICE);
    let next = position;
    for (; next < end && batch.size < calls.batchSize; next++) {
      const text = textOf(next);
      const key = text === undefined ? undefined : keyOf(text);
      if (key === undefined) continue;
      if (vectors.get(key) === undefined) batch.set(key, text!);
    }
    return { batch, next };
  }
}
