/** Told once when a client leaves. */
export interface LeaveListener {
  onLeave(reason: Error): void;
}

/**
 * Says whether a client has left before its response was whole.
 *
 * It is what an `AbortSignal` is, without the price of one: an `AbortController`, an event target and their listeners cost every exchange
 * more than its record does, and hardly any client leaves. `toAbortSignal` makes a real one for those who need it.
 */
export class ClientSignal {
  #reason: Error | undefined;
  #listeners: LeaveListener[] = [];
  #controller: AbortController | undefined;

  /** Whether the client has left. */
  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Why, once it has left. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Throws the reason once the client has left. */
  throwIfAborted(): void {
    if (this.#reason) throw this.#reason;
  }

  /** Says that the client has left; only the first call counts. Listeners are told at once, in the order in which they were added. */
  abort(): void {
    if (this.#reason) return;
    const reason = new Error('the client left before its response was whole');
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener.onLeave(reason);
    this.#controller?.abort(reason);
  }

  /** Adds a listener; one that comes too late is told at once. */
  add(listener: LeaveListener): void {
    if (this.#reason) listener.onLeave(this.#reason);
    else this.#listeners.push(listener);
  }

  /** Removes a listener; one that is not there is no error. */
  remove(listener: LeaveListener): void {
    const at = this.#listeners.lastIndexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** The same as a standard signal, always the same one. */
  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}
