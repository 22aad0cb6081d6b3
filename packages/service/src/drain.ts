/**
 * Counts running requests, so that the shutdown can wait for them, and holds the phase of the shutdown.
 *
 * After `announce`, no new requests are wanted, but they are accepted; after `finish`, they are refused.
 */
export class Drain {
  #open = 0;
  #isDraining = false;
  #isRefusing = false;
  #onIdle: (() => void) | undefined;

  /** The number of running requests. */
  get open(): number {
    return this.#open;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Counts one more request, until the returned function is called once. */
  begin(): () => void {
    this.#open++;
    return () => {
      this.#open--;
      if (this.#open === 0) this.#onIdle?.();
    };
  }

  /** Announces the shutdown. Resolves when `delay` aborts; by then, clients should have noticed. */
  async announce(delay: AbortSignal): Promise<void> {
    this.#isDraining = true;
    await aborted(delay);
  }

  /** Waits until no request runs, or until `deadline` aborts. Resolves to whether no request runs. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.#isDraining = true;
    this.#isRefusing = true;
    if (this.#open > 0) await Promise.race([aborted(deadline), this.#idle()]);
    return this.#open === 0;
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
