import type { After } from './process-group.ts';

/** Work that ends with a signal, after so many milliseconds or when somebody else ends it. */
export interface BoundedWork {
  readonly signal: AbortSignal;
  readonly isLate: () => boolean;
  /** Begins to count anew. */
  readonly renew: () => void;
  /** Must be called when the work is over. */
  readonly done: () => void;
}

/** A signal for work that may take so long, counted by a clock that is passed in. */
export function boundWork(after: After, timeoutMs: number, outer?: AbortSignal): BoundedWork {
  const controller = new AbortController();
  let isLate = false;
  const start = () =>
    after(timeoutMs, () => {
      isLate = true;
      controller.abort(new Error('late'));
    });
  let cancel = start();
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  else outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    isLate: () => isLate,
    renew() {
      cancel();
      cancel = start();
    },
    done() {
      cancel();
      outer?.removeEventListener('abort', stop);
    },
  };
}

/** Settles as the work does, or rejects at once when the signal aborts; what the work comes to later is passed over. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
