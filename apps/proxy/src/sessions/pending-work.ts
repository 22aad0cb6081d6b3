/**
 * Lets a request wait for notes in its own history that earlier exchanges are still storing.
 *
 * A client with a complete response may return before the searches made alongside its calls are resolved;
 * without them its history would be incomplete. A request never waits for other conversations, nor longer
 * than a search may take. A failure is handled where the work began.
 */
export class PendingWork {
  readonly #byKey = new Map<string, Promise<unknown>>();

  /** Registers work under its keys. */
  add(keys: readonly string[], work: Promise<unknown>): void {
    const settled = work.then(forget, forget);
    for (const key of keys) this.#byKey.set(key, settled);
    const known = this.#byKey;
    function forget(): void {
      for (const key of keys) if (known.get(key) === settled) known.delete(key);
    }
  }

  /**
   * Resolves when all work with these keys has settled, or when `giveUp` resolves; undefined if there is
   * none.
   */
  settled(keys: readonly string[], giveUp: () => Promise<unknown>): Promise<unknown> | undefined {
    if (this.#byKey.size === 0) return undefined;
    const work = keys.flatMap((key) => this.#byKey.get(key) ?? []);
    return work.length === 0 ? undefined : Promise.race([Promise.all(work), giveUp()]);
  }
}
