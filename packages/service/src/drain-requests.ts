import type { Drain } from './drain.ts';
import type { OpenConnections } from './open-connections.ts';

/** How requests are brought to their end. Times are in milliseconds. */
export interface DrainOptions {
  readonly drain: Drain;
  readonly connections: OpenConnections;
  /** How long new requests are still answered. */
  readonly delayMs: number;
  /** How long those that run may take then. */
  readonly timeoutMs: number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Lets the event loop go round once. */
  readonly pause: () => Promise<unknown>;
}

/** How long clients may take to close their ends of the connections, in milliseconds. */
const PARTING_MS = 1_000;

/**
 * Announces the end, refuses what still comes after the delay, waits for what runs, and parts from the clients without a reset. Gives
 * whether everything that ran was finished; what was not is cut off.
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
