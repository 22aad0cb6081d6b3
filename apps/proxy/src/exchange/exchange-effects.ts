/** Effects that exchanges need: time, ids, and turns of the event loop. */
export interface ExchangeEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly makeId: () => string;
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Waits for a full turn of the event loop, so that other work can run. */
  readonly pause: () => Promise<void>;
}
