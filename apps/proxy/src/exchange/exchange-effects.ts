/** Effects that exchanges need: time, ids, and turns of the event loop. */
export interface ExchangeEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly makeId: () => string;
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Waits until the event loop has been round, so that others get their turn. */
  readonly pause: () => Promise<void>;
}
