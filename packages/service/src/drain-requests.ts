import type { Drain } from './drain.ts';
import type { OpenConnections } from './open-connections.ts';

/** The parts that draining needs. Times are in milliseconds. */
export interface DrainOptions {
  readonly drain: Drain;
  readonly connections: OpenConnections;
  /** The time for which new requests are still accepted. */
  readonly delayMs: number;
  /** The time that running requests have after that. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Waits for one turn of the event loop. */
  readonly pause: () => Promise<unknown>;
}

/** The time that clients have to close their connections, in milliseconds. */
const PARTING_MS = 1_000;

/**
 * Announces the shutdown, refuses requests after the delay, waits for running requests, and closes the
 * connections without a reset. Resolves to whether all requests finished; the others are cut off.
 */
export async function drainRequests(options: DrainOptions): Promise<boolean> {
  const { drain, connections, delayMs, timeoutMs, deadline, pause } = options;
  connections.keepNoneAlive();
  if (delayMs > 0) await drain.announce(deadline(delayMs));
  const isFinished = await drain.finish(deadline(timeoutMs));
  if (!isFinished) connections.cutOff();
  await connections.letGo({ deadline: deadline(PARTING_MS), pause });
  return isFinished;
}
