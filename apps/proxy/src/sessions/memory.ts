import type { HiddenTurn } from '@winnow/wire';
import { newAddition } from './new-addition.ts';
import { EMPTY_SESSION, type Session, type SessionAddition, type SessionStore } from './session-store.ts';

/** Bounds of the store. */
export interface MemoryStoreOptions {
  /** How long a session is kept after its last use, in milliseconds. */
  readonly ttlMs: number;
  /** Memory of all sessions together, roughly. */
  readonly maxBytes: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

interface Entry {
  readonly session: Session;
  readonly bytes: number;
  readonly usedAt: number;
}

/** What an entry takes beside its texts: a key, a map entry, a few objects. */
const ENTRY_BYTES = 512;

/** Sessions in this process. When they are too large together, those not used for longest go first. */
export class MemorySessionStore implements SessionStore {
  readonly isShared = false;
  readonly #options: MemoryStoreOptions;
  /** In order of use, the latest last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async read(key: string): Promise<Session> {
    const entry = this.#live(key);
    if (!entry) return EMPTY_SESSION;
    this.#put(key, entry.session);
    return entry.session;
  }

  async add(key: string, addition: SessionAddition): Promise<void> {
    const { session } = this.#live(key) ?? { session: EMPTY_SESSION };
    const { loaded, hiddenTurns } = newAddition(addition, session);
    this.#put(key, {
      loaded: [...session.loaded, ...loaded],
      hiddenTurns: [...session.hiddenTurns, ...hiddenTurns],
    });
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break;
      this.#remove(oldest);
    }
  }

  sweep(): void {
    for (const [key, entry] of this.#entries) {
      // The rest was used later.
      if (!this.#isPast(entry)) break;
      this.#remove(key);
    }
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry && !this.#isPast(entry) ? entry : undefined;
  }

  #isPast({ usedAt }: Entry): boolean {
    return this.#options.now() - usedAt >= this.#options.ttlMs;
  }

  #put(key: string, session: Session): void {
    const known = this.#entries.get(key);
    const bytes = known?.session === session ? known.bytes : sizeOf(session);
    this.#remove(key);
    this.#entries.set(key, { session, bytes, usedAt: this.#options.now() });
    this.#bytes += bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** Characters may take two bytes each. */
function sizeOf({ loaded, hiddenTurns }: Session): number {
  const texts = [...loaded, ...hiddenTurns.flatMap(textsOf)];
  return ENTRY_BYTES + 2 * texts.reduce((sum, text) => sum + text.length, 0);
}

function textsOf(turn: HiddenTurn): readonly string[] {
  return [...turn.keys, turn.visible, ...turn.before, turn.message, ...turn.results];
}
