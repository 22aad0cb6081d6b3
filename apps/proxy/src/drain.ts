/** Counts the exchanges that run, so that the end can wait for them. */
export class Drain {
  open = 0;
  isDraining = false;
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

  /** Waits until no exchange runs, or until `deadline` aborts; gives whether none runs. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.isDraining = true;
    if (this.open === 0) return true;
    return new Promise((resolve) => {
      deadline.addEventListener('abort', () => resolve(false), { once: true });
      this.#onIdle = () => resolve(true);
    });
  }
}
