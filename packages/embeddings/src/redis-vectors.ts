import { hash } from 'node:crypto';
import type { Int8Vector } from '@winnow/ranking';
import { CircuitBreaker } from '@winnow/service';
import type { SharedVectors } from './shared-vectors.ts';
import { fromVectorText, MAX_VECTOR_TEXT, toVectorText, type VectorEntry } from './vector-text.ts';

/** The part of a Redis connection in use, as `packages/service` provides it. */
export interface VectorLink {
  readonly isReady: boolean;
  run(commands: readonly VectorCommand[]): Promise<readonly VectorReply[]>;
  close(): void;
}

type VectorCommand = readonly [name: string, ...values: (string | number)[]];
type VectorReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Receives changes of a connection's state. */
export interface VectorLinkListener {
  readonly onReady: () => void;
  readonly onLost: (error: Error) => void;
}

/** Options of shared vectors. */
export interface RedisVectorsOptions {
  /** An id that distinguishes the model from all others. */
  readonly model: Promise<string>;
  /** Prefix of every key; `winnow:` by default. */
  readonly keyPrefix?: string;
  /** Opens a connection that reconnects on its own. */
  readonly connect: (listener: VectorLinkListener) => Promise<VectorLink>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Called once when sharing begins to fail, and once when it works again. */
  readonly onChange: (state: VectorStoreState) => void;
}

export type VectorStoreState =
  | { readonly kind: 'back' }
  /** `problem` is the first word of Redis' error, `UNREACHABLE` or `TIMEOUT`. */
  | { readonly kind: 'away'; readonly problem: string };

/** A part that may fail on its own: a full server can still be read. */
type Part = 'connection' | 'reading' | 'writing';

/** Timeout of a round trip, in milliseconds: the time to compute a few vectors. */
const ROUND_TRIP_MS = 100;

const BREAKER = { failures: 3, openMs: 5_000 };

/** Time that a vector is kept after its last read, in milliseconds: 30 days. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Places for the vectors of one model: some 90 MB at 384 dimensions when full. The key of a text determines
 * its place, and a later text overwrites it: this bounds the server's memory without an index. Of 10,000
 * tools, 7 % share their place with another one and are computed more than once.
 */
const PLACES = 2 ** 17;

/** Maximum number of vectors that wait for a connection; more are dropped. */
const MAX_WAITING = 1_024;

/** Version of the stored format and of the tools' texts. */
const VERSION = 1;

/**
 * Stores vectors in a Redis, each with its full text key in base64, in a key that expires. All keys of a
 * model are on one node of a cluster.
 */
export class RedisVectors implements SharedVectors {
  readonly #options: RedisVectorsOptions;
  readonly #breaker: CircuitBreaker;
  readonly #failing = new Set<Part>();
  readonly #waiting: VectorEntry[] = [];
  #link: VectorLink | undefined;
  #prefix = '';
  #isClosed = false;

  constructor(options: RedisVectorsOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker({ ...BREAKER, now: options.now });
    this.#open().catch(() => this.#fail('connection', 'UNREACHABLE'));
  }

  async find(keys: readonly string[]): Promise<readonly (Int8Vector | undefined)[]> {
    const none = keys.map(() => undefined);
    const link = this.#ready();
    if (link === undefined || !this.#breaker.admit()) return none;
    // A foreign value may be larger than memory.
    const replies = await this.#inTime(
      link.run(keys.map((key) => ['getrange', this.#placeOf(key), 0, MAX_VECTOR_TEXT])),
    );
    if (replies === undefined) {
      this.#breaker.fail();
      this.#fail('reading', 'TIMEOUT');
      return none;
    }
    this.#breaker.succeed();
    this.#judge('reading', replies);
    const found = keys.map((key, at) => readReply(key, replies[at]));
    const used = keys.filter((_, at) => found[at] !== undefined);
    if (used.length > 0) void link.run(used.map((key) => ['pexpire', this.#placeOf(key), KEPT_MS]));
    return found;
  }

  keep(entries: readonly VectorEntry[]): void {
    const link = this.#ready();
    if (link === undefined) {
      this.#waiting.push(...entries.slice(0, MAX_WAITING - this.#waiting.length));
      return;
    }
    if (entries.length === 0 || this.#breaker.state === 'open') return;
    void link
      .run(entries.map((entry) => ['set', this.#placeOf(entry[0]), toVectorText(entry), 'PX', KEPT_MS]))
      .then((replies) => this.#judge('writing', replies));
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#link?.close();
  }

  async #open(): Promise<void> {
    const { connect, model, keyPrefix = 'winnow:' } = this.#options;
    const link = await connect({
      onReady: () => this.#begin(),
      onLost: () => this.#fail('connection', 'UNREACHABLE'),
    });
    // The part in braces is the hash tag, which selects the node of a cluster.
    this.#prefix = `${keyPrefix}vectors:${VERSION}:{${hash('sha256', await model).slice(0, 32)}}:`;
    this.#link = link;
    if (this.#isClosed) link.close();
    if (this.#ready() !== undefined) this.#begin();
  }

  /** Starts using a new connection. */
  #begin(): void {
    this.#mend('connection');
    if (this.#ready() !== undefined) this.keep(this.#waiting.splice(0));
  }

  #ready(): VectorLink | undefined {
    return !this.#isClosed && this.#link?.isReady ? this.#link : undefined;
  }

  #placeOf(key: string): string {
    return `${this.#prefix}${Number.parseInt(key.slice(0, 8), 16) % PLACES}`;
  }

  /** Returns the replies; undefined if they do not arrive in time. */
  #inTime(running: Promise<readonly VectorReply[]>): Promise<readonly VectorReply[] | undefined> {
    const deadline = this.#options.deadline(ROUND_TRIP_MS);
    return new Promise((resolve) => {
      void running.then(resolve);
      deadline.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }

  /** Updates the state by the replies. A value of another type is not a failure. */
  #judge(part: Part, replies: readonly VectorReply[]): void {
    const failed = replies.find((reply) => !reply.ok && !reply.error.message.startsWith('WRONGTYPE'));
    if (failed === undefined || failed.ok) this.#mend(part);
    else this.#fail(part, /^[A-Z]{2,32}(?= )/.exec(failed.error.message)?.[0] ?? 'UNREACHABLE');
  }

  #fail(part: Part, problem: string): void {
    const wasWhole = this.#failing.size === 0;
    this.#failing.add(part);
    if (wasWhole && !this.#isClosed) this.#options.onChange({ kind: 'away', problem });
  }

  #mend(part: Part): void {
    if (!this.#failing.delete(part) || this.#failing.size > 0 || this.#isClosed) return;
    this.#options.onChange({ kind: 'back' });
  }
}

/** Parses a reply; undefined for anything but the vector of this text. */
function readReply(key: string, reply: VectorReply | undefined): Int8Vector | undefined {
  if (!reply?.ok || typeof reply.value !== 'string') return undefined;
  const [known, vector] = fromVectorText(reply.value) ?? [];
  return known === key ? vector : undefined;
}
