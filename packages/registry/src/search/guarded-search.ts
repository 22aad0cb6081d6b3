import type { Searcher, SearcherQuery, SearcherResult } from './searcher.ts';

/** The searcher that could not answer, and why. */
export interface Degradation {
  readonly searcher: string;
  readonly reason: 'failed' | 'deadline';
}

/** How a searcher is guarded. */
export interface GuardOptions {
  readonly searcher: Searcher;
  /** Answers when the other does not: the built-in one. The same one where there is no other. */
  readonly fallback: Searcher;
  /** How long the searcher may take, in milliseconds. */
  readonly timeoutMs: number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Hears of every search that the fall-back answers. */
  readonly onDegraded: (degradation: Degradation, error: unknown) => void;
}

/** Searches that are answered whatever becomes of the searcher: by the built-in one, which says so. */
export class GuardedSearch {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Rejects only when the built-in searcher does, which is a defect. */
  async search(
    query: SearcherQuery,
    signal: AbortSignal,
  ): Promise<{ readonly result: SearcherResult; readonly degraded: Degradation | undefined }> {
    const { searcher, fallback, timeoutMs, deadline, onDegraded } = this.#options;
    // Nothing could stand in for the built-in one, and what it does takes bounded work.
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
      return { result: await fallback.search(query, signal), degraded };
    }
  }
}

/** What a promise gives, or a rejection when the signal aborts first, whether or not the promise's maker heeds it. */
function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
