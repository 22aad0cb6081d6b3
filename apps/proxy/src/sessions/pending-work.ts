/**
 * Lets the next exchange of a session wait for what the last one still has to store.
 *
 * A client whose answer is whole may come back before the searches that stood beside its calls are answered; without them its history
 * could not be put together. Work that fails is the affair of who began it.
 */
export class PendingWork {
  readonly #bySession = new Map<string, Promise<unknown>>();

  /** Begins work of a session, after what runs for it already. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#bySession.get(key) ?? Promise.resolve();
    const running = before.then(work);
    const settled = running.then(forget, forget);
    this.#bySession.set(key, settled);
    const sessions = this.#bySession;
    function forget(): void {
      if (sessions.get(key) === settled) sessions.delete(key);
    }
    return running;
  }

  /** Resolves when no work of the session is left. */
  async settled(key: string): Promise<void> {
    await this.#bySession.get(key);
  }
}
