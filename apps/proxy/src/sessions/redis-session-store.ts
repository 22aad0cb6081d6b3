import type { KeyObject } from 'node:crypto';
import type { HiddenTurn } from '@winnow/wire';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import type { RedisCommand, RedisLink, RedisReply } from './redis-link.ts';
import { isWrongType, redisProblem } from './redis-problem.ts';
import type { Session, SessionAddition, SessionStore } from './session-store.ts';
import { StoreError } from './store-error.ts';
import type { StoreHealth, StorePart } from './store-health.ts';
import { openValue, sealValue } from './stored-value.ts';

/** What the store is made of. */
export interface RedisStoreOptions {
  readonly link: RedisLink;
  /** Refuses commands for a while after too many went unanswered. */
  readonly breaker: CircuitBreaker;
  readonly health: StoreHealth;
  /** Seals values. */
  readonly secret: KeyObject;
  /** What every key begins with. */
  readonly keyPrefix: string;
  readonly ttlMs: number;
  /** How long a round trip may take, in milliseconds. */
  readonly timeoutMs: number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

/** Bounds of what is stored. */
export const REDIS_STORE_LIMITS = {
  /** Of one hidden turn, or of the names that one exchange adds; a larger one is not stored. */
  valueBytes: 2 ** 20,
  /** Of each of a session's two lists. */
  listBytes: 4 * 2 ** 20,
  /** Values in a list; also what bounds a list that somebody else has written. */
  listValues: 1_024,
} as const;

/** A server that only reads may have been demoted: then another one has to be looked for, but not again and again. */
const RECONNECT_MS = 5_000;

/**
 * Sessions in a Redis, shared by all proxies that have the same secret.
 *
 * A session is two lists under one hash tag: names, one value for each addition, and hidden turns, one value each. Reading is one round
 * trip, adding another, and appends are the server's own, so that proxies that add at once lose nothing. What cannot be read is as if it
 * were not there. Its messages never hold content.
 */
export class RedisSessionStore implements SessionStore {
  readonly #options: RedisStoreOptions;
  #reconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** Without a connection nobody can read what is added, so that no client should wait for it. */
  get isShared(): boolean {
    return !this.#options.health.isFailing('connection');
  }

  async read(key: string): Promise<Session> {
    const { names, turns } = this.#keysOf(key);
    const oldest = -REDIS_STORE_LIMITS.listValues;
    const replies = await this.#ask('run', [
      ['lrange', names, oldest, -1],
      ['lrange', turns, oldest, -1],
      ['pexpire', names, this.#options.ttlMs],
      ['pexpire', turns, this.#options.ttlMs],
    ]);
    // A server that only reads refuses to keep a session alive; what it has is of use all the same.
    this.#check('reading', replies.slice(0, 2));
    const [nameTexts, turnTexts] = [textsIn(replies[0]!), textsIn(replies[1]!)];
    this.#heal([...cure(names, replies[0]!, nameTexts), ...cure(turns, replies[1]!, turnTexts)]);
    // Sealed by a proxy of this version, so they are what it stored.
    const nameLists = this.#open(newest(nameTexts), names) as string[][];
    const hiddenTurns = this.#open(newest(turnTexts), turns) as HiddenTurn[];
    return { loaded: [...new Set(nameLists.flat())], hiddenTurns };
  }

  async add(key: string, { loaded, hiddenTurns }: SessionAddition): Promise<void> {
    const { names, turns } = this.#keysOf(key);
    const nameTexts = loaded.length > 0 ? [this.#seal(loaded, names)] : [];
    const turnTexts = hiddenTurns.map((turn) => this.#seal(turn, turns));
    const commands = [...append(names, nameTexts), ...append(turns, turnTexts)];
    if (commands.length > 0) {
      commands.push(['pexpire', names, this.#options.ttlMs], ['pexpire', turns, this.#options.ttlMs]);
      const replies = await this.#ask('runTogether', commands);
      this.#check('writing', replies);
      this.#healRefused(commands, replies);
    }
    if ([...nameTexts, ...turnTexts].some(isTooLarge)) throw new StoreError('too_large');
  }

  /** The server forgets by itself. */
  sweep(): void {}

  /** To be called when the connection is there. After silence, it has to answer in time before it is used again. */
  onReady(): void {
    const { breaker, health } = this.#options;
    if (breaker.state === 'closed') health.succeed('connection');
    else void this.probe();
  }

  /** To be called when the connection is gone. */
  onLost(error: Error): void {
    this.#options.health.fail('connection', redisProblem(error));
  }

  /** Tries what fails, and nothing while all is well. To be called now and then. Never rejects. */
  async probe(): Promise<void> {
    const { link, breaker, health } = this.#options;
    if (health.isUp || !link.isReady) return;
    const { names: key } = this.#keysOf('probe');
    const replies = await this.#beforeDeadline(link.run([['lrange', key, 0, 0]]));
    if (!replies || isLost(replies)) return;
    breaker.succeed();
    health.succeed('connection');
    try {
      this.#check('reading', replies);
      if (health.isFailing('writing'))
        this.#check('writing', await this.#ask('runTogether', probeWriting(key)));
    } catch (error) {
      // Told of already.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** The braces make a cluster keep both in one place. */
  #keysOf(key: string) {
    const start = `${this.#options.keyPrefix}{${key}}`;
    return { names: `${start}:names`, turns: `${start}:turns` };
  }

  #seal(value: unknown, key: string): string {
    return sealValue(value, key, this.#options.secret);
  }

  /** The values in texts, each once, without those that cannot be read. */
  #open(texts: readonly string[], key: string): unknown[] {
    return [...new Set(texts)].flatMap((text) => openValue(text, key, this.#options.secret) ?? []);
  }

  /** Replies within the deadline, or a StoreError. */
  async #ask(how: 'run' | 'runTogether', commands: readonly RedisCommand[]) {
    const { link, breaker, health } = this.#options;
    if (!link.isReady) throw new StoreError('unreachable');
    if (!breaker.admit()) throw new StoreError('timeout');
    const replies = await this.#beforeDeadline(link[how](commands));
    if (!replies) {
      breaker.fail();
      if (breaker.state !== 'closed') health.fail('connection', 'timeout');
      throw new StoreError('timeout');
    }
    if (isLost(replies)) {
      // The link tells of a connection that has gone.
      breaker.abandon();
      throw new StoreError('unreachable');
    }
    breaker.succeed();
    health.succeed('connection');
    return replies;
  }

  /** What has arrived when the deadline comes counts, even if this process was too busy to look. */
  #beforeDeadline<Value>(running: Promise<Value>): Promise<Value | undefined> {
    const deadline = this.#options.deadline(this.#options.timeoutMs);
    return new Promise((resolve) => {
      void running.then(resolve);
      const giveUp = () => setImmediate(() => resolve(undefined));
      deadline.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Throws a StoreError when one of the replies is an error that is not about the value alone. */
  #check(part: StorePart, replies: readonly RedisReply[]): void {
    const { health, link, now } = this.#options;
    const failed = replies.find((reply) => !reply.ok && !isWrongType(reply.error));
    if (failed === undefined || failed.ok) {
      health.succeed(part);
      return;
    }
    const problem = redisProblem(failed.error);
    health.fail(part, problem);
    if (problem === 'read_only' && now() - this.#reconnectedAt >= RECONNECT_MS) {
      this.#reconnectedAt = now();
      link.reconnect();
    }
    throw new StoreError(problem);
  }

  /** Appending to something else than a list fails; there will be none the next time. */
  #healRefused(commands: readonly RedisCommand[], replies: readonly RedisReply[]): void {
    const wrong = commands
      .filter((_, index) => isWrongTypeReply(replies[index]!))
      .map(([, key]) => String(key));
    if (wrong.length === 0) return;
    this.#heal([...new Set(wrong)].map((key) => ['unlink', key]));
    throw new StoreError('unusable');
  }

  /** Nobody waits for it; what fails is tried again by the next reading. */
  #heal(commands: readonly RedisCommand[]): void {
    if (commands.length > 0) void this.#options.link.run(commands);
  }
}

/** Commands that a healthy server takes, and that leave nothing. */
function probeWriting(key: string): RedisCommand[] {
  return [
    ['rpush', key, ''],
    ['ltrim', key, -1, -1],
    ['pexpire', key, 1],
  ];
}

/** Whether the connection went before anything was answered. */
function isLost(replies: readonly RedisReply[]): boolean {
  return replies.every((reply) => !reply.ok && redisProblem(reply.error) === 'unreachable');
}

function append(key: string, texts: readonly string[]): RedisCommand[] {
  const fitting = texts.filter((text) => !isTooLarge(text));
  if (fitting.length === 0) return [];
  return [
    ['rpush', key, ...fitting],
    ['ltrim', key, -REDIS_STORE_LIMITS.listValues, -1],
  ];
}

function isTooLarge(text: string): boolean {
  return Buffer.byteLength(text) > REDIS_STORE_LIMITS.valueBytes;
}

/** The texts of a list; none of what is no list. */
function textsIn(reply: RedisReply): string[] {
  if (!reply.ok || !Array.isArray(reply.value)) return [];
  return reply.value.filter((text) => typeof text === 'string');
}

function isWrongTypeReply(reply: RedisReply): boolean {
  return !reply.ok && isWrongType(reply.error);
}

/** What puts right a key that holds too much, or something else than a list. */
function cure(key: string, reply: RedisReply, texts: readonly string[]): RedisCommand[] {
  if (isWrongTypeReply(reply)) return [['unlink', key]];
  const kept = newest(texts).length;
  if (kept === texts.length) return [];
  return [kept === 0 ? ['unlink', key] : ['ltrim', key, -kept, -1]];
}

/**
 * The texts, or the newest of them when all together are too large. Then half the room is left free, so that not every turn of a long
 * conversation changes what the model is told of its beginning: that would cost the provider's prompt cache each time.
 */
function newest(texts: readonly string[]): readonly string[] {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= REDIS_STORE_LIMITS.listBytes) return texts;
  let room = REDIS_STORE_LIMITS.listBytes / 2;
  let first = texts.length;
  while (first > 0 && sizes[first - 1]! <= room) {
    first--;
    room -= sizes[first]!;
  }
  return texts.slice(first);
}
