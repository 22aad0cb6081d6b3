import type { MeaningGap } from '@winnow/core';
import type { Searcher, SearcherQuery, SearcherResult } from './searcher.ts';

/** The searcher that failed, and the reason. */
export interface Degradation {
  readonly searcher: string;
  readonly reason: MeaningGap;
}

/** Options of a {@link GuardedSearch}. */
export interface GuardOptions {
  readonly searcher: Searcher;
  /** The built-in searcher, which takes over on failure; the same object when there is no other searcher. */
  readonly fallback: Searcher;
  /** Time limit of the searcher, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after the given milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Reports every search that the fallback resolved. */
  readonly onDegraded: (degradation: Degradation, error: unknown) => void;
}

/** Runs searches, and falls back to the built-in searcher when the configured one fails or is late. */
export class GuardedSearch {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Lets the searcher catch up with the changes so far. */
  async prepare(): Promise<void> {
    await this.#options.searcher.prepare?.();
  }

  /** Rejects only when the built-in searcher does, which is a defect. */
  async search(
    query: SearcherQuery,
    signal: AbortSignal,
  ): Promise<{ readonly result: SearcherResult; readonly degraded: Degradation | undefined }> {
    const { searcher, fallback, timeoutMs, deadline, onDegraded } = this.#options;
    // The built-in searcher has no fallback, and its work is bounded.
    if (searcher === fallback) return { result: await fallback.search(query, signal), degraded: undefined };
    const limit = deadline(timeoutMs);
    try {
      const search = searcher.search(query, AbortSignal.any([signal, limit]));
      return { result: await beforeAbort(search, limit), degraded: undefined };
    } catch (error) {
      const degraded: Degradation = {
        searcher: searcher.name,
        reason: limit.aborted ? 'deadline' : 'failed',
      };
      onDegraded(degraded, error);
      await fallback.prepare?.();
      return { result: await fallback.search(query, signal), degraded };
    }
  }
}

/** Settles as the promise does, or rejects when the signal aborts first. */
function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
