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
export class SessionSample<Entry> {
  readonly #held = new Map<string, Entry>();
  readonly #begin: () => Entry;
  readonly #capacity: number;
  #depth = 0;

  /** `begin` makes what is held of a session that is new. */
  constructor(begin: () => Entry, capacity = DEFAULT_CAPACITY) {
    this.#begin = begin;
    this.#capacity = capacity;
  }

  /** Returns the entry of a session, to be updated at once; undefined if the session is not in the sample. */
  entryOf(session: string): Entry | undefined {
    const key = session.length <= KEY_LIMIT ? session : Buffer.from(session.slice(0, KEY_LIMIT)).toString();
    const held = this.#held.get(key);
    if (held !== undefined || !isSampled(key, this.#depth)) return held;
    const entry = this.#begin();
    this.#held.set(key, entry);
    while (this.#held.size > this.#capacity) this.#deepen();
    return entry;
  }

  get entries(): IterableIterator<Entry> {
    return this.#held.values();
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** The number of sessions that each held one represents: 1 when all are held. */
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
