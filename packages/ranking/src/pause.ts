/**
 * Lets other work of the process go first; given by the edge, as this package knows no timers.
 * May reject to end a search whose answer nobody waits for: the rejection reaches the caller.
 */
export type Pause = () => Promise<void>;

/** For callers that have nothing else to do. */
export const noPause: Pause = () => Promise.resolve();
