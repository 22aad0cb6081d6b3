/** Receives one call when a client leaves. */
export interface LeaveListener {
  onLeave(reason: Error): void;
}

/**
 * Signals that a client has left before its response was complete.
 *
 * Works like an `AbortSignal` without its cost: an `AbortController`, an event target and their listeners
 * cost more per exchange than its record, and few clients leave. `toAbortSignal` creates a real one on
 * demand.
 */
export class ClientSignal {
  #reason: Error | undefined;
  #listeners: LeaveListener[] = [];
  #controller: AbortController | undefined;

  /** Whether the client has left. */
  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The reason, once the client has left. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Throws the reason once the client has left. */
  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  /**
   * Signals that the client has left; only the first call counts. Listeners run at once, in the order in
   * which they were added.
   */
  abort(): void {
    if (this.#reason) return;
    const reason = new Error('the client disconnected before its response was complete');
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener.onLeave(reason);
    this.#controller?.abort(reason);
  }

  /** Adds a listener; runs it at once if the client has already left. */
  add(listener: LeaveListener): void {
    if (this.#reason) listener.onLeave(this.#reason);
    else this.#listeners.push(listener);
  }

  /** Removes a listener; does nothing if it is not registered. */
  remove(listener: LeaveListener): void {
    const at = this.#listeners.lastIndexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** Returns an equivalent standard signal, the same one on each call. */
  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}
