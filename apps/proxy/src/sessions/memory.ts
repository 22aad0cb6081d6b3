import { LASTING, NOTE_LIMITS, type Note, type NotePlace, type SessionStore } from './session-store.ts';

/** Bounds of the store. */
export interface MemoryStoreOptions {
  /** How long a note is kept after its last use, in milliseconds. */
  readonly ttlMs: number;
  /** The same for lasting notes; no longer than others when left out. */
  readonly lastingTtlMs?: number;
  /** Memory of all notes together, roughly. */
  readonly maxBytes: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

interface Entry {
  /** Empty where two notes have met that the key does not tell apart. */
  readonly value: string;
  readonly session: string;
  readonly isLasting: boolean;
  readonly bytes: number;
  readonly usedAt: number;
}

/** Keys in order of use, the latest last, and what they take together. */
interface Share {
  readonly keys: Set<string>;
  bytes: number;
}

interface Tenant {
  /** In order of use, the latest last. */
  readonly entries: Map<string, Entry>;
  readonly sessions: Map<string, Share>;
  bytes: number;
}

/** What an entry takes in addition to its texts: two map entries, a few objects. */
const ENTRY_BYTES = 512;

/** A tenant may take so much of the whole store. */
const TENANT_SHARE = 1 / 4;

/**
 * Notes in this process. A session or a tenant that has too many loses its own oldest; when all are too large together, the tenant that was
 * not heard of for longest loses its own. Every step has a constant cost.
 */
export class MemorySessionStore implements SessionStore {
  readonly isShared = false;
  readonly #options: MemoryStoreOptions;
  /** In order of use, the latest last. */
  readonly #tenants = new Map<string, Tenant>();
  #bytes = 0;
  #sessions = 0;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  /** Sessions of which there are notes. */
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
      this.#put(tenant, key, entry);
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
        // The rest was used later.
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
      usedAt: 0,
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

  #put(tenant: Tenant, key: string, entry: Entry): void {
    this.#remove(tenant, key);
    let share = tenant.sessions.get(entry.session);
    if (!share) {
      share = { keys: new Set(), bytes: 0 };
      tenant.sessions.set(entry.session, share);
      this.#sessions++;
    }
    tenant.entries.set(key, { ...entry, usedAt: this.#options.now() });
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
