import type { After } from './process-group.ts';

/** Work with a time limit and an outer signal. */
export interface BoundedWork {
  readonly signal: AbortSignal;
  readonly isLate: () => boolean;
  /** Restarts the count. */
  readonly renew: () => void;
  /** Must be called when the work is over. */
  readonly done: () => void;
}

/** Creates a signal that aborts after a time limit, measured by the given clock. */
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

/** Settles as the work does, or rejects at once when the signal aborts; a later outcome is ignored. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
