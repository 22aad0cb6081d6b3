/**
 * A point at which the upstream waits until the test opens it, so that no test needs a clock.
 *
 * Contract: opening is final and may precede waiting; any number of responses may wait at one gate.
 */
export interface Gate {
  /** Lets all waiting and later responses pass. */
  open(): void;
  /** Resolves when the gate is open. */
  readonly opened: Promise<void>;
  /** Resolves when a response first waits at the gate: everything before it has been written. */
  readonly reached: Promise<void>;
  /** Called by the upstream when a response reaches the gate. */
  reach(): void;
}

/** Creates a closed gate. */
export function createGate(): Gate {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  return { opened, open, reached, reach };
}
