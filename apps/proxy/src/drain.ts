/**
 * Counts the exchanges that run, so that the end can wait for them, and knows how far the end has come.
 *
 * From `announce` on no new requests are wanted, but those that come are answered; from `finish` on they are refused.
 */
export class Drain {
  open = 0;
  isDraining = false;
  isRefusing = false;
  #onIdle: (() => void) | undefined;

  count<Argument>(run: (argument: Argument) => Promise<void>): (argument: Argument) => Promise<void> {
    return async (argument) => {
      this.open++;
      try {
        await run(argument);
      } finally {
        this.open--;
        if (this.open === 0) this.#onIdle?.();
      }
    };
  }

  /** Says that the end is near; resolves when `delay` aborts: by then whoever sends requests should have noticed. */
  async announce(delay: AbortSignal): Promise<void> {
    this.isDraining = true;
    if (delay.aborted) return;
    await new Promise((resolve) => delay.addEventListener('abort', resolve, { once: true }));
  }

  /** Waits until no exchange runs, or until `deadline` aborts; gives whether none runs. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.isDraining = true;
    this.isRefusing = true;
    if (this.open === 0) return true;
    return new Promise((resolve) => {
      deadline.addEventListener('abort', () => resolve(false), { once: true });
      this.#onIdle = () => resolve(true);
    });
  }
}
