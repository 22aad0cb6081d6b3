import { setTimeout as sleep } from 'node:timers/promises';

/** Calls repeatedly, until the returned function is called. Does not keep the process alive. */
export function everyInterval(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs).unref();
  return () => clearInterval(timer);
}

/** Calls once, unless the returned function is called before. */
export function afterDelay(delayMs: number, call: () => void): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

/** Waits by Node's clock; ends early when the signal aborts, and keeps no process alive. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects only because of the signal.
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
