/** One fact about a tenant's conversations: JSON under a key. */
export interface Note {
  /** Any text of any length; stores may hash it. */
  readonly key: string;
  readonly value: string;
  /**
   * The action if the key holds another value: keep that value; forget both, as the key is ambiguous; or
   * replace it.
   */
  readonly ifTaken: 'keep' | 'forget' | 'replace';
}

export interface NotePlace {
  /** Notes of two tenants never meet. */
  readonly tenant: string;
  /** The session that a note comes from; the storage of one session is limited. */
  readonly session: string;
}

/**
 * Keeps notes by tenant and key.
 *
 * Contract:
 * - A note that was neither read nor added within its time to live is gone; lasting notes have their own. A
 *   store may forget notes earlier: each session and each tenant has its limits, and the oldest notes go
 *   first.
 * - Of notes that are added together, each is stored completely or not at all.
 * - `read` returns the existing notes by key; unknown keys are absent.
 * - Both may reject; the caller continues without the store. Neither waits for long: a networked store has
 *   its own deadline, and takes one round trip for each call.
 */
export interface SessionStore {
  /**
   * Whether other processes can read additions, so that one of them may get the next turn of a conversation.
   */
  readonly isShared: boolean;
  read(tenant: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  add(place: NotePlace, notes: readonly Note[]): Promise<void>;
  /** Removes expired notes. Call it regularly. */
  sweep(): void;
}

/** The key prefix of notes that are kept as long as a provider keeps a response, not only for a session. */
export const LASTING = 'alias ';

/** The limits of all stores per session, per tenant and per note. */
export const NOTE_LIMITS = {
  /** Limit of one value; a larger one is not stored. */
  valueBytes: 2 ** 20,
  session: { notes: 2_048, bytes: 4 * 2 ** 20 },
  tenant: { notes: 32_768, bytes: 64 * 2 ** 20 },
} as const;

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
