import { setTimeout as sleep } from 'node:timers/promises';

/** Waits by Node's clock; ends early when the signal aborts, and keeps no process alive. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects only because of the signal.
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
