import type { RequestListener } from 'node:http';

/**
 * Counts the requests that are not answered yet, so that the end can wait for them, and knows how far the end has come.
 *
 * From `announce` on no new requests are wanted, but those that come are answered; from `finish` on they are refused.
 */
export class Drain {
  isDraining = false;
  isRefusing = false;
  #open = 0;
  #onIdle: (() => void) | undefined;

  count(listener: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      this.#open++;
      outgoing.once('close', () => {
        this.#open--;
        if (this.#open === 0) this.#onIdle?.();
      });
      listener(incoming, outgoing);
    };
  }

  /** Says that the end is near; resolves when `delay` aborts: by then whoever sends requests should have noticed. */
  async announce(delay: AbortSignal): Promise<void> {
    this.isDraining = true;
    if (delay.aborted) return;
    await new Promise((resolve) => delay.addEventListener('abort', resolve, { once: true }));
  }

  /** Waits until no request is open, or until `deadline` aborts; gives whether none is. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.isDraining = true;
    this.isRefusing = true;
    if (this.#open === 0) return true;
    return new Promise((resolve) => {
      deadline.addEventListener('abort', () => resolve(false), { once: true });
      this.#onIdle = () => resolve(true);
    });
  }
}
