/** One thing that is known of conversations of a tenant: JSON under a key. */
export interface Note {
  /** Of any length; stores may hash it. */
  readonly key: string;
  readonly value: string;
  /**
   * What happens where the key holds another value: that value is kept; or both are forgotten, as the key does not tell them apart; or the
   * new one takes its place.
   */
  readonly ifTaken: 'keep' | 'forget' | 'replace';
}

/** What every note of one tenant is stored under. */
export interface NotePlace {
  /** Notes of two tenants never meet. */
  readonly tenant: string;
  /** The session that a note comes from: what one session may store is bounded. */
  readonly session: string;
}

/**
 * Keeps notes by tenant and key.
 *
 * Contract:
 * - A note that was neither read nor added for the time to live is gone; lasting ones have a time of their own. A store may forget earlier: each session and each tenant has its
 *   bounds, and what was added first goes first.
 * - Of notes that are added at the same time, each is stored whole or not at all.
 * - `read` gives what there is of these keys, by key; unknown keys are not in it.
 * - Both may reject; the caller goes on without. Neither waits for long: a store with a network has a deadline of its own, and takes
 *   one round trip for each.
 */
export interface SessionStore {
  /** Whether other processes can read what is added: then the next turn of a conversation may come to one of them. */
  readonly isShared: boolean;
  read(tenant: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  add(place: NotePlace, notes: readonly Note[]): Promise<void>;
  /** Forgets what is past its time. To be called now and then. */
  sweep(): void;
}

/** What the keys of notes begin with that are kept as long as a provider keeps a response, and not for a session only. */
export const LASTING = 'alias ';

/** What all stores keep of one session, of one tenant, and of one note. */
export const NOTE_LIMITS = {
  /** Of one value; a larger one is not stored. */
  valueBytes: 2 ** 20,
  session: { notes: 2_048, bytes: 4 * 2 ** 20 },
  tenant: { notes: 32_768, bytes: 64 * 2 ** 20 },
} as const;
