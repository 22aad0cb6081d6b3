/**
 * Calls of clients whose requests come one by one, so that a later request can cancel an earlier one. Clients
 * are identified by a name that they received at the beginning; a client without a name can end its calls only
 * by disconnecting.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();

  /** Calls that can be taken back. */
  get size(): number {
    return this.#running.size;
  }

  /** A signal that aborts when the client takes the call back, or leaves. `end` must follow, once. */
  begin(
    session: string,
    id: string | number,
    left: AbortSignal,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    const key = keyOf(session, id);
    const controller = new AbortController();
    this.#running.set(key, controller);
    return {
      signal: AbortSignal.any([controller.signal, left]),
      end: () => {
        // Another one of the same id may have come since.
        if (this.#running.get(key) === controller) this.#running.delete(key);
      },
    };
  }

  /** Takes a call back; one that is over, or was never there, is none. */
  cancel(session: string, id: string | number): void {
    this.#running.get(keyOf(session, id))?.abort();
  }
}

function keyOf(session: string, id: string | number): string {
  return JSON.stringify([session, id]);
}
