import { LASTING, NOTE_LIMITS, type Note, type NotePlace, type SessionStore } from './session-store.ts';

/** Limits of the store. */
interface MemoryStoreOptions {
  /** Time that a note is kept after its last use, in milliseconds. */
  readonly ttlMs: number;
  /** The same for lasting notes; by default `ttlMs`. */
  readonly lastingTtlMs?: number;
  /** Approximate memory of all notes together. */
  readonly maxBytes: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

interface Entry {
  /** Empty after a collision of two notes under the same key. */
  readonly value: string;
  readonly session: string;
  readonly isLasting: boolean;
  readonly bytes: number;
  usedAt: number;
}

/** Keys from least to most recently used, and their total size. */
interface Share {
  readonly keys: Set<string>;
  bytes: number;
}

interface Tenant {
  /** From least to most recently used. */
  readonly entries: Map<string, Entry>;
  readonly sessions: Map<string, Share>;
  bytes: number;
}

/** Approximate bytes of an entry in addition to its texts: two map entries and a few objects. */
const ENTRY_BYTES = 512;

/** Share of the store that one tenant may use. */
const TENANT_SHARE = 1 / 4;

/**
 * Notes in this process. A session or tenant above its limit loses its own oldest notes; if the whole store
 * is too large, the least recently active tenant does. Every step takes constant time.
 */
export class MemorySessionStore implements SessionStore {
  readonly isShared = false;
  readonly #options: MemoryStoreOptions;
  /** From least to most recently used. */
  readonly #tenants = new Map<string, Tenant>();
  #bytes = 0;
  #sessions = 0;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  /** Number of sessions with notes. */
  get size(): number {
    return this.#sessions;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async read(tenantKey: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const tenant = this.#tenants.get(tenantKey);
    if (!tenant) return found;
    for (const key of keys) {
      const entry = this.#live(tenant, key);
      if (!entry) continue;
      this.#use(tenant, key, entry);
      if (entry.value !== '') found.set(key, entry.value);
    }
    if (found.size > 0) this.#touch(tenantKey, tenant);
    return found;
  }

  async add({ tenant: tenantKey, session }: NotePlace, notes: readonly Note[]): Promise<void> {
    const tenant = this.#tenants.get(tenantKey) ?? { entries: new Map(), sessions: new Map(), bytes: 0 };
    this.#touch(tenantKey, tenant);
    for (const note of notes) this.#addNote(tenant, session, note);
    const { maxBytes } = this.#options;
    this.#trim(tenant, session);
    while (tenant.bytes > maxBytes * TENANT_SHARE || tenant.entries.size > NOTE_LIMITS.tenant.notes) {
      this.#removeOldest(tenant);
    }
    if (tenant.entries.size === 0) this.#tenants.delete(tenantKey);
    while (this.#bytes > maxBytes) this.#removeOldestOfAll();
  }

  sweep(): void {
    for (const [tenantKey, tenant] of this.#tenants) {
      for (const [key, entry] of tenant.entries) {
        if (this.#isPast(entry)) this.#remove(tenant, key);
        // All later entries were used more recently.
        else if (!entry.isLasting) break;
      }
      if (tenant.entries.size === 0) this.#tenants.delete(tenantKey);
    }
  }

  #addNote(tenant: Tenant, session: string, { key, value, ifTaken }: Note): void {
    // Characters may take two bytes each.
    if (2 * value.length > NOTE_LIMITS.valueBytes) return;
    const known = this.#live(tenant, key);
    const isTaken = known !== undefined && known.value !== value;
    const kept = isTaken && ifTaken !== 'replace' ? (ifTaken === 'keep' ? known.value : '') : value;
    this.#put(tenant, key, {
      value: kept,
      session: known?.session ?? session,
      isLasting: key.startsWith(LASTING),
      bytes: ENTRY_BYTES + 2 * (key.length + kept.length),
      usedAt: this.#options.now(),
    });
  }

  #live(tenant: Tenant, key: string): Entry | undefined {
    const entry = tenant.entries.get(key);
    return entry && !this.#isPast(entry) ? entry : undefined;
  }

  #isPast({ usedAt, isLasting }: Entry): boolean {
    const { now, ttlMs, lastingTtlMs = ttlMs } = this.#options;
    return now() - usedAt >= (isLasting ? lastingTtlMs : ttlMs);
  }

  /** Makes an entry the most recently used one of its tenant and of its session. */
  #use(tenant: Tenant, key: string, entry: Entry): void {
    entry.usedAt = this.#options.now();
    tenant.entries.delete(key);
    tenant.entries.set(key, entry);
    const { keys } = tenant.sessions.get(entry.session)!;
    if (keys.size === 1) return;
    keys.delete(key);
    keys.add(key);
  }

  #put(tenant: Tenant, key: string, entry: Entry): void {
    this.#remove(tenant, key);
    let share = tenant.sessions.get(entry.session);
    if (!share) {
      share = { keys: new Set(), bytes: 0 };
      tenant.sessions.set(entry.session, share);
      this.#sessions++;
    }
    tenant.entries.set(key, entry);
    share.keys.add(key);
    share.bytes += entry.bytes;
    tenant.bytes += entry.bytes;
    this.#bytes += entry.bytes;
  }

  #remove(tenant: Tenant, key: string): void {
    const entry = tenant.entries.get(key);
    if (!entry) return;
    tenant.entries.delete(key);
    tenant.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    const share = tenant.sessions.get(entry.session)!;
    share.keys.delete(key);
    share.bytes -= entry.bytes;
    if (share.keys.size > 0) return;
    tenant.sessions.delete(entry.session);
    this.#sessions--;
  }

  #trim(tenant: Tenant, session: string): void {
    const { notes, bytes } = NOTE_LIMITS.session;
    for (;;) {
      const share = tenant.sessions.get(session);
      if (!share || (share.keys.size <= notes && share.bytes <= bytes)) return;
      const [oldest] = share.keys;
      this.#remove(tenant, oldest!);
    }
  }

  #removeOldest(tenant: Tenant): void {
    const [oldest] = tenant.entries.keys();
    if (oldest !== undefined) this.#remove(tenant, oldest);
  }

  #removeOldestOfAll(): void {
    const [first] = this.#tenants;
    if (!first) return;
    const [tenantKey, tenant] = first;
    this.#removeOldest(tenant);
    if (tenant.entries.size === 0) this.#tenants.delete(tenantKey);
  }

  #touch(tenantKey: string, tenant: Tenant): void {
    this.#tenants.delete(tenantKey);
    this.#tenants.set(tenantKey, tenant);
  }
}
