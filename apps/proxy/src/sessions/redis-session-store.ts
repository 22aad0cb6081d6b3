import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { RedisCommand, RedisReply } from '@winnow/service';
import { type GuardedLink, isWrongType, StoreError } from './guarded-link.ts';
import { LASTING, NOTE_LIMITS, type Note, type NotePlace, type SessionStore } from './session-store.ts';

interface RedisStoreOptions {
  readonly link: GuardedLink;
  /** Seals values. */
  readonly secret: KeyObject;
  /** The prefix of every key. */
  readonly keyPrefix: string;
  readonly ttlMs: number;
  /** The same for lasting notes; by default `ttlMs`. */
  readonly lastingTtlMs?: number;
}

/** Maximum number of keys to read at once: those of the latest turns. */
const MAX_KEYS = 4_096;

/** Number of additions to an index between two checks of its limits. */
const TRIM_EVERY = 128;

/**
 * Notes in a Redis, shared by all proxies with the same secret.
 *
 * Each note is a separate string, and all notes of a tenant share one hash tag, so that a conversation reads
 * exactly what its history points to. Reading takes one round trip, adding another. Two lists, one per
 * session and one per tenant, hold the keys in the order of addition; with their help, notes above the limits
 * are removed in the background. Unreadable notes count as missing. Rejects with a StoreError, which holds
 * neither content nor credentials.
 */
export class RedisSessionStore implements SessionStore {
  readonly #options: RedisStoreOptions;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /**
   * While the store does not respond, no other proxy can read additions, so no client should wait for them.
   */
  get isShared(): boolean {
    return this.#options.link.isAnswering;
  }

  async read(tenant: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const asked = keys.slice(-MAX_KEYS);
    if (asked.length === 0) return found;
    const { link } = this.#options;
    const stored = asked.map((key) => this.#noteKey(tenant, key));
    const [reply] = await link.ask('reading', [['mget', ...stored]]);
    const texts = reply?.ok && Array.isArray(reply.value) ? (reply.value as readonly unknown[]) : [];
    const used: RedisCommand[] = [];
    texts.forEach((text, place) => {
      // Only a third party can have stored a larger one.
      if (typeof text !== 'string' || text.length > NOTE_LIMITS.valueBytes) return;
      const value = openValue(text, stored[place]!, this.#options.secret);
      used.push(['pexpire', stored[place]!, this.#ttlOf(asked[place]!)]);
      if (typeof value === 'string' && value !== '') found.set(asked[place]!, value);
    });
    // Sent without waiting; a read-only server refuses, but its data is still usable.
    link.send(used);
    return found;
  }

  async add(place: NotePlace, notes: readonly Note[]): Promise<void> {
    const { link, secret } = this.#options;
    const sealed = notes.map((note) => {
      const key = this.#noteKey(place.tenant, note.key);
      return { note, key, text: sealValue(note.value, key, secret) };
    });
    const storable = sealed.filter(({ text }) => Buffer.byteLength(text) <= NOTE_LIMITS.valueBytes);
    if (storable.length > 0) {
      const indexes = this.#indexesOf(place, storable);
      const commands = [
        ...storable.flatMap((one) => this.#commandsFor(one)),
        ...indexes.flatMap((index) => this.#appendTo(index)),
      ];
      const replies = await link.ask('writing', commands);
      this.#settle(storable, replies);
      for (const [at, index] of indexes.entries()) {
        const reply = replies[2 * (storable.length + at)];
        const length = reply?.ok ? Number(reply.value) : 0;
        if (length % TRIM_EVERY < index.notes.length) void this.#trim(index, place.tenant);
      }
      this.#healRefused(commands, replies);
    }
    if (storable.length < sealed.length) throw new StoreError('too_large');
  }

  /** Does nothing: Redis expires keys itself. */
  sweep(): void {}

  /** Returns two commands per note: one that sets it, and one that reads the start of the current value. */
  #commandsFor({ note, key, text }: SealedNote): RedisCommand[] {
    const ttlMs = this.#ttlOf(note.key);
    const set: RedisCommand =
      note.ifTaken === 'replace' ? ['set', key, text, 'PX', ttlMs] : ['set', key, text, 'PX', ttlMs, 'NX'];
    return [set, ['getrange', key, 0, HEAD_CHARS - 1]];
  }

  #appendTo({ key, notes, ttlMs }: NoteIndex): RedisCommand[] {
    const entries = notes.map((note) => `${Buffer.byteLength(note.text)} ${note.key}`);
    return [
      ['rpush', key, ...entries],
      ['pexpire', key, ttlMs],
    ];
  }

  /** Voids the notes whose keys collided with another value. */
  #settle(notes: readonly SealedNote[], replies: readonly RedisReply[]): void {
    const { link, secret } = this.#options;
    const isLost = ({ note, text }: SealedNote, place: number) => {
      const reply = replies[2 * place + 1];
      return note.ifTaken === 'forget' && reply?.ok && reply.value !== text.slice(0, HEAD_CHARS);
    };
    const lost = notes.filter(isLost);
    link.send(
      lost.map(({ note, key }) => ['set', key, sealValue('', key, secret), 'PX', this.#ttlOf(note.key)]),
    );
  }

  async #trim({ key: index, limits }: NoteIndex, tenant: string): Promise<void> {
    const { link, keyPrefix } = this.#options;
    try {
      const [reply] = await link.ask('reading', [['lrange', index, -2 * limits.notes, -1]]);
      const entries = reply?.ok && Array.isArray(reply.value) ? reply.value.map(String) : [];
      const { kept, removed } = trimmed(entries, limits);
      if (removed.length === 0) return;
      // Lists are not sealed: a third party that may write one must not have other keys removed.
      const own = removed.filter((key) => isNoteKey(key, keyPrefix, tenant));
      link.send([
        ['ltrim', index, -kept, -1],
        ...(own.length > 0 ? [['unlink', ...own] as RedisCommand] : []),
      ]);
    } catch (error) {
      // Already reported; the next addition tries again.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Removes values of a wrong type and repeats the writes that they blocked, in the background. */
  #healRefused(commands: readonly RedisCommand[], replies: readonly RedisReply[]): void {
    const wrong = new Set(
      commands.filter((_, index) => isRefusedByType(replies[index]!)).map(([, key]) => key!),
    );
    if (wrong.size === 0) return;
    const again = commands.filter(([, key]) => wrong.has(key!));
    this.#options.link.send([...[...wrong].map((key): RedisCommand => ['unlink', key]), ...again]);
  }

  #noteKey(tenant: string, key: string): string {
    return noteKey(this.#options.keyPrefix, tenant, key);
  }

  /** Returns the indexes of notes. A list lives as long as its entries: lasting notes have their own. */
  #indexesOf({ tenant, session }: NotePlace, notes: readonly SealedNote[]): NoteIndex[] {
    const { keyPrefix, ttlMs, lastingTtlMs = ttlMs } = this.#options;
    const start = `${keyPrefix}{${tenant}}`;
    const [lasting, others] = [true, false].map((wanted) =>
      notes.filter(({ note }) => note.key.startsWith(LASTING) === wanted),
    );
    return [
      { key: `${start}:of:${session}`, limits: NOTE_LIMITS.session, notes: others!, ttlMs },
      { key: `${start}:all`, limits: NOTE_LIMITS.tenant, notes: others!, ttlMs },
      { key: `${start}:lasting`, limits: NOTE_LIMITS.tenant, notes: lasting!, ttlMs: lastingTtlMs },
    ].filter((index) => index.notes.length > 0);
  }

  #ttlOf(key: string): number {
    const { ttlMs, lastingTtlMs = ttlMs } = this.#options;
    return key.startsWith(LASTING) ? lastingTtlMs : ttlMs;
  }
}

/** A list of keys, oldest first, for finding the notes above the limits. */
interface NoteIndex {
  readonly key: string;
  readonly limits: { readonly notes: number; readonly bytes: number };
  readonly notes: readonly SealedNote[];
  readonly ttlMs: number;
}

interface SealedNote {
  readonly note: Note;
  readonly key: string;
  readonly text: string;
}

/**
 * Returns commands that leave no data, for testing whether keys with such a prefix can be read and written.
 */
export function storeProbes(
  keyPrefix: string,
): Readonly<Record<'reading' | 'writing', readonly RedisCommand[]>> {
  const key = noteKey(keyPrefix, 'probe', 'probe');
  return { reading: [['mget', key]], writing: [['set', key, '', 'PX', 1]] };
}

/**
 * Returns the key of a note. The braces make a cluster keep a tenant's notes in one slot; the note's own key
 * is hashed, as clients choose it.
 */
function noteKey(keyPrefix: string, tenant: string, key: string): string {
  return `${keyPrefix}{${tenant}}:${createHash('sha256').update(key).digest('base64url')}`;
}

/** Whether a key is that of a note of this tenant. */
function isNoteKey(key: string, keyPrefix: string, tenant: string): boolean {
  const start = `${keyPrefix}{${tenant}}:`;
  return key.startsWith(start) && /^[\w-]{43}$/.test(key.slice(start.length));
}

function isRefusedByType(reply: RedisReply): boolean {
  return !reply.ok && isWrongType(reply.error);
}

/**
 * The version in every stored value. It changes when older proxies could not read new values; these are then
 * missing for them.
 */
const VERSION = '2';

/** 128 bits of the seal as base64url: too many to guess. */
const SEAL_CHARS = 22;

/** Length of the version and the seal, which distinguish a stored value from any other under its key. */
const HEAD_CHARS = VERSION.length + 1 + SEAL_CHARS;

/**
 * Seals a value for storage: version, seal and JSON, separated by dots.
 *
 * The seal binds the text to its key, so that a third party with write access to the store can neither invent
 * model output nor move it to another session. Equal values have equal texts.
 */
export function sealValue(value: unknown, key: string, secret: KeyObject): string {
  const json = JSON.stringify(value);
  return `${VERSION}.${sealOf(json, key, secret)}.${json}`;
}

/**
 * Returns the value in a stored text; undefined if it has another version or was not stored under this key.
 * Never throws.
 */
function openValue(text: string, key: string, secret: KeyObject): unknown {
  if (!text.startsWith(`${VERSION}.`)) return undefined;
  const start = VERSION.length + 1;
  const json = text.slice(start + SEAL_CHARS + 1);
  const [given, right] = [text.slice(start, start + SEAL_CHARS), sealOf(json, key, secret)];
  if (!isEqual(given, right)) return undefined;
  // The seal is genuine, so the text is JSON.
  return JSON.parse(json);
}

function sealOf(json: string, key: string, secret: KeyObject): string {
  const seal = createHmac('sha256', secret).update(`${VERSION}\n${key}\n`).update(json).digest('base64url');
  return seal.slice(0, SEAL_CHARS);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** An index of notes trimmed to its limits. */
interface TrimmedIndex {
  /** Number of entries that stay: the newest. */
  readonly kept: number;
  /** Keys of the removed entries. */
  readonly removed: readonly string[];
}

/**
 * Trims an index whose entries are the size and the key of a note, oldest first. Above the limits, it frees a
 * quarter of the room, so that not every addition trims.
 */
function trimmed(
  entries: readonly string[],
  limits: { readonly notes: number; readonly bytes: number },
): TrimmedIndex {
  const notes = entries.map(readEntry);
  const total = notes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (notes.length <= limits.notes && total <= limits.bytes) return { kept: notes.length, removed: [] };
  let room = limits.bytes * ROOM_AFTER;
  let first = notes.length;
  const fewest = notes.length - limits.notes * ROOM_AFTER;
  while (first > 0 && first > fewest && notes[first - 1]!.bytes <= room) {
    first--;
    room -= notes[first]!.bytes;
  }
  const stay = new Set(notes.slice(first).map(({ key }) => key));
  const gone = notes.slice(0, first).map(({ key }) => key);
  return { kept: notes.length - first, removed: [...new Set(gone)].filter((key) => !stay.has(key)) };
}

const ROOM_AFTER = 3 / 4;

function readEntry(entry: string): { bytes: number; key: string } {
  const at = entry.indexOf(' ');
  return { bytes: Math.max(0, Number(entry.slice(0, at))) || 0, key: entry.slice(at + 1) };
}
