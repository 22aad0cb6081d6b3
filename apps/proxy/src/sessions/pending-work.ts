/**
 * Lets a request wait for what its own history needs and an earlier exchange still has to store.
 *
 * A client whose response is whole may come back before the searches that came with its calls are answered; without them its history
 * could not be put together. Nobody waits for work of other conversations, and nobody for longer than a search may take. Work that fails is the
 * affair of who began it.
 */
export class PendingWork {
  readonly #byKey = new Map<string, Promise<unknown>>();

  /** Takes note of work that these keys will be known by. */
  add(keys: readonly string[], work: Promise<unknown>): void {
    const settled = work.then(forget, forget);
    for (const key of keys) this.#byKey.set(key, settled);
    const known = this.#byKey;
    function forget(): void {
      for (const key of keys) if (known.get(key) === settled) known.delete(key);
    }
  }

  /** Resolves when no work of these keys is left, or when `giveUp` resolves; undefined when there is none to wait for. */
  settled(keys: readonly string[], giveUp: () => Promise<unknown>): Promise<unknown> | undefined {
    if (this.#byKey.size === 0) return undefined;
    const work = keys.flatMap((key) => this.#byKey.get(key) ?? []);
    return work.length === 0 ? undefined : Promise.race([Promise.all(work), giveUp()]);
  }
}
