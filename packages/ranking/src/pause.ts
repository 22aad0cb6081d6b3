/**
 * Yields to other work of the process; the edge provides it, because this package has no timers. May reject
 * to cancel a search that is no longer needed; the rejection reaches the caller.
 */
export type Pause = () => Promise<void>;

/** A pause for callers without other work. */
export const noPause: Pause = () => Promise.resolve();
