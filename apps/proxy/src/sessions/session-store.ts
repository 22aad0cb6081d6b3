import type { HiddenTurn } from '@winnow/wire';

/** What a conversation has gathered. */
export interface Session {
  /** Names that searches have found, in load order, each once. */
  readonly loaded: readonly string[];
  /** What the client has not seen, oldest first. */
  readonly hiddenTurns: readonly HiddenTurn[];
}

/** What one exchange adds to its session. */
export interface SessionAddition {
  /** Names that are loaded already are ignored. */
  readonly loaded: readonly string[];
  /** A turn that equals one that is there, as a client's retry may bring it, is ignored. */
  readonly hiddenTurns: readonly HiddenTurn[];
}

/**
 * Keeps sessions by key.
 *
 * Contract:
 * - Sessions only grow: additions of exchanges that run at the same time are all kept, each whole.
 * - An entry that was neither read nor added to for the time to live is gone. A store may forget earlier, when it is full.
 * - `read` of an unknown key gives an empty session, which is not stored.
 * - Both may reject; the caller goes on without. Neither waits for long: a store with a network has a deadline of its own.
 * - What is given out is never changed afterwards, and what is given in may be shared.
 */
export interface SessionStore {
  /** Whether other processes can read what is added: then the next turn of a conversation may come to one of them. */
  readonly isShared: boolean;
  read(key: string): Promise<Session>;
  add(key: string, addition: SessionAddition): Promise<void>;
  /** Forgets what is past its time. To be called now and then. */
  sweep(): void;
}

export const EMPTY_SESSION: Session = { loaded: [], hiddenTurns: [] };
