import type { KeptVectors } from './kept-vectors.ts';
import { BREAKER, type MeaningHealth } from './meaning-health.ts';
import type { Texts } from './texts.ts';
import { keyOf, type VectorCache } from './vector-cache.ts';
import type { VectorCalls } from './vector-calls.ts';

/** What learning takes from around it. */
export interface LearningOptions {
  readonly calls: Pick<VectorCalls, 'call'>;
  /** Most texts for one call. */
  readonly batchSize: number;
  readonly vectors: VectorCache;
  readonly health: MeaningHealth;
  /** Undefined without notes. */
  readonly kept: KeptVectors | undefined;
  /** Waits; ends early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  readonly closing: AbortSignal;
}

/** Texts that are looked up in one go: about a millisecond. */
const TEXTS_PER_SLICE = 256;

/** Catalogues that wait to be learnt; of more, those that came first are let go, and learnt by the searches that need them. */
const MAX_WAITING = 64;

/** Works out the vectors of whole catalogues in the background, one after the other, and goes on where it was after a failure. Nothing here rejects. */
export class Learning {
  readonly #options: LearningOptions;
  readonly #waiting: Texts[] = [];
  readonly #known = new WeakSet<object>();
  #isRunning = false;

  constructor(options: LearningOptions) {
    this.#options = options;
  }

  /** Works out the vectors of texts that lack them; `of` is what they are texts of, which is learnt once. */
  add(of: object, texts: Texts): void {
    if (this.#known.has(of)) return;
    this.#known.add(of);
    this.#waiting.push(texts);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    if (!this.#isRunning) void this.#learnAll();
  }

  /** Lets go of what waits. */
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
        // What is refused would be refused again; everything else may pass.
        if (failure === undefined || failure === 'refused') position = next;
        else await wait(BREAKER.openMs, closing);
      }
    }
  }

  /** Texts that lack a vector, from a position on; after many that do not, there may be none. */
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
