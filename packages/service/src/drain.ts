/**
 * Counts what runs, so that the end can wait for it, and knows how far the end has come.
 *
 * From `announce` on no new requests are wanted, but those that come are answered; from `finish` on they are refused.
 */
export class Drain {
  #open = 0;
  #isDraining = false;
  #isRefusing = false;
  #onIdle: (() => void) | undefined;

  /** How many run. */
  get open(): number {
    return this.#open;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Counts one more, until the function that it gives is called, once. */
  begin(): () => void {
    this.#open++;
    return () => {
      this.#open--;
      if (this.#open === 0) this.#onIdle?.();
    };
  }

  /** Says that the end is near; resolves when `delay` aborts: by then whoever sends requests should have noticed. */
  async announce(delay: AbortSignal): Promise<void> {
    this.#isDraining = true;
    await aborted(delay);
  }

  /** Waits until nothing runs, or until `deadline` aborts; gives whether nothing runs. */
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
