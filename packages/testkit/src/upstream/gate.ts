/**
 * A point at which the upstream waits until the test lets it go on, so that no test needs a clock.
 *
 * Contract: opening is final and may come before anybody waits; any number of answers may wait at one gate.
 */
export interface Gate {
  /** Lets everybody pass, now and later. */
  open(): void;
  /** Resolves when the gate is open. */
  readonly opened: Promise<void>;
  /** Resolves when an answer stands at the gate for the first time: everything before it has been written. */
  readonly reached: Promise<void>;
  /** Called by the upstream that arrives at the gate. */
  reach(): void;
}

/** Makes a gate that is shut. */
export function createGate(): Gate {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  return { opened, open, reached, reach };
}
