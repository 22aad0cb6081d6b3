/** What is known of one session. */
export interface SessionEntry {
  exchanges: number;
  /** The arms it was seen in, one bit each. */
  arms: number;
}

/** Sessions held at most; 10,000 give an error of about 1 % for their number. */
const DEFAULT_CAPACITY = 20_000;
const KEY_LIMIT = 64;

/**
 * Sessions in bounded memory: all of them while they fit, else a fair sample.
 *
 * When the sample is full, half of all possible sessions are left out from then on, chosen by a hash of their key, and those already held
 * that belong to that half are forgotten. A session of the sample has therefore been counted from its first exchange on, whenever that was,
 * and each session stands for `2 ** depth`. Shares over the sample are fair; the number of sessions is an estimate with a relative standard
 * error of about `1.2 / sqrt(capacity)`.
 *
 * Source: P. Flajolet, "On adaptive sampling", Computing 43 (1990), after an idea of M. Wegman.
 */
export class SessionSample {
  readonly #held = new Map<string, SessionEntry>();
  readonly #capacity: number;
  #depth = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Counts an exchange of a session in an arm, given as a bit. */
  add(session: string, arm: number): void {
    const key = session.length <= KEY_LIMIT ? session : Buffer.from(session.slice(0, KEY_LIMIT)).toString();
    const entry = this.#held.get(key);
    if (entry !== undefined) {
      entry.exchanges++;
      entry.arms |= arm;
    } else if (isSampled(key, this.#depth)) {
      this.#held.set(key, { exchanges: 1, arms: arm });
      while (this.#held.size > this.#capacity) this.#deepen();
    }
  }

  get entries(): IterableIterator<SessionEntry> {
    return this.#held.values();
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** How many sessions each held one stands for: 1 when all are held. */
  get weight(): number {
    return 2 ** this.#depth;
  }

  #deepen(): void {
    this.#depth++;
    for (const key of this.#held.keys()) {
      if (!isSampled(key, this.#depth)) this.#held.delete(key);
    }
  }
}

/** Whether the last `depth` bits of a key's hash are zero. */
function isSampled(key: string, depth: number): boolean {
  return depth === 0 || hash(key) % 2 ** depth === 0;
}

/** FNV-1a with the finaliser of MurmurHash3, as the last bits of FNV alone are poorly mixed; 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
