import type { KeyObject } from 'node:crypto';
import type { HiddenTurn } from '@winnow/wire';
import type { GuardedLink } from './guarded-link.ts';
import type { RedisCommand, RedisReply } from './redis-link.ts';
import { isWrongType } from './redis-problem.ts';
import type { Session, SessionAddition, SessionStore } from './session-store.ts';
import { StoreError } from './store-error.ts';
import { appendToList, isTooLarge, listIn, readList } from './stored-list.ts';
import { openValue, sealValue } from './stored-value.ts';

/** What the store is made of. */
export interface RedisStoreOptions {
  readonly link: GuardedLink;
  /** Seals values. */
  readonly secret: KeyObject;
  /** What every key begins with. */
  readonly keyPrefix: string;
  readonly ttlMs: number;
}

/**
 * Sessions in a Redis, shared by all proxies that have the same secret.
 *
 * A session is two lists under one hash tag: names, one value for each addition, and hidden turns, one value each. Reading is one round
 * trip, adding another, and appends are the server's own, so that proxies that add at once lose nothing. What cannot be read is as if it
 * were not there. Rejects with a StoreError, which holds neither content nor credentials.
 */
export class RedisSessionStore implements SessionStore {
  readonly #options: RedisStoreOptions;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** While it does not answer nobody can read what is added, so that no client should wait for it. */
  get isShared(): boolean {
    return this.#options.link.isAnswering;
  }

  async read(key: string): Promise<Session> {
    const { link } = this.#options;
    const { names, turns } = this.#keysOf(key);
    // A server that only reads refuses to keep a session alive; what it has is of use all the same.
    const replies = await link.ask('reading', [readList(names), readList(turns)], this.#keepAlive(key));
    const [nameList, turnList] = [listIn(replies[0]!, names), listIn(replies[1]!, turns)];
    // Nobody waits for it; what fails is tried again by the next reading.
    link.send([...nameList.cure, ...turnList.cure]);
    // Sealed by a proxy of this version, so they are what it stored.
    const additions = this.#open(nameList.values, names) as string[][];
    const hiddenTurns = this.#open(turnList.values, turns) as HiddenTurn[];
    return { loaded: [...new Set(additions.flat())], hiddenTurns };
  }

  async add(key: string, { loaded, hiddenTurns }: SessionAddition): Promise<void> {
    const { names, turns } = this.#keysOf(key);
    const nameValues = loaded.length > 0 ? [this.#seal(loaded, names)] : [];
    const turnValues = hiddenTurns.map((turn) => this.#seal(turn, turns));
    const commands = [
      ...appendToList(names, nameValues.filter(isStorable)),
      ...appendToList(turns, turnValues.filter(isStorable)),
    ];
    if (commands.length > 0) {
      const replies = await this.#options.link.ask('writing', [...commands, ...this.#keepAlive(key)]);
      this.#healRefused(commands, replies);
    }
    if (![...nameValues, ...turnValues].every(isStorable)) throw new StoreError('too_large');
  }

  /** The server forgets by itself. */
  sweep(): void {}

  #keysOf(key: string) {
    return sessionKeys(this.#options.keyPrefix, key);
  }

  #keepAlive(key: string): RedisCommand[] {
    const { names, turns } = this.#keysOf(key);
    return [names, turns].map((list) => ['pexpire', list, this.#options.ttlMs]);
  }

  #seal(value: unknown, key: string): string {
    return sealValue(value, key, this.#options.secret);
  }

  /** The values, each once, without those that cannot be read. */
  #open(texts: readonly string[], key: string): unknown[] {
    return [...new Set(texts)]
      .map((text) => openValue(text, key, this.#options.secret))
      .filter((value) => value !== undefined);
  }

  /** Appending to something else than a list fails; there will be none the next time. */
  #healRefused(commands: readonly RedisCommand[], replies: readonly RedisReply[]): void {
    const wrong = commands.filter((_, index) => isRefusedByType(replies[index]!)).map(([, key]) => key!);
    if (wrong.length === 0) return;
    this.#options.link.send([...new Set(wrong)].map((key) => ['unlink', key]));
    throw new StoreError('unusable');
  }
}

/** Commands that leave nothing behind, for trying whether a server with such a prefix can be read from and written to. */
export function storeProbes(
  keyPrefix: string,
): Readonly<Record<'reading' | 'writing', readonly RedisCommand[]>> {
  const { names: key } = sessionKeys(keyPrefix, 'probe');
  return {
    reading: [['lrange', key, 0, 0]],
    writing: [
      ['rpush', key, ''],
      ['ltrim', key, -1, -1],
      ['pexpire', key, 1],
    ],
  };
}

/** The braces make a cluster keep both in one place. */
function sessionKeys(keyPrefix: string, key: string) {
  const start = `${keyPrefix}{${key}}`;
  return { names: `${start}:names`, turns: `${start}:turns` };
}

function isStorable(value: string): boolean {
  return !isTooLarge(value);
}

function isRefusedByType(reply: RedisReply): boolean {
  return !reply.ok && isWrongType(reply.error);
}
