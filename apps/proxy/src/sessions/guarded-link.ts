import type { CircuitBreaker, RedisCommand, RedisLink, RedisReply } from '@winnow/service';

interface GuardedLinkOptions {
  readonly link: RedisLink;
  /** Rejects requests for a while after too many consecutive round trips without a reply. */
  readonly breaker: CircuitBreaker;
  readonly health: StoreHealth;
  /** Time limit of a round trip, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Commands that a healthy server answers and that leave no data. */
  readonly probes: Readonly<Record<Exclude<StorePart, 'connection'>, readonly RedisCommand[]>>;
}

/**
 * Shortest interval between reconnections, in milliseconds. A read-only server may have been demoted, so that
 * another one must be found.
 */
const RECONNECT_MS = 5_000;

/**
 * A link to a Redis that never blocks requests: every round trip has a deadline, after a few timeouts no
 * request is sent, and failing parts are retried in the background until they work.
 */
export class GuardedLink {
  readonly #options: GuardedLinkOptions;
  #reconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GuardedLinkOptions) {
    this.#options = options;
  }

  /** Whether the server is known to respond. */
  get isAnswering(): boolean {
    return !this.#options.health.isFailing('connection');
  }

  /**
   * Returns the replies to commands that either read, or write as one transaction. A wrong type of value is a
   * reply; any other error of a command, or a missing reply, is a StoreError. `optional` commands are sent
   * along and may fail.
   */
  async ask(
    part: Exclude<StorePart, 'connection'>,
    commands: readonly RedisCommand[],
    optional: readonly RedisCommand[] = [],
  ): Promise<readonly RedisReply[]> {
    const { link, breaker } = this.#options;
    if (!link.isReady) throw new StoreError('unreachable');
    if (!breaker.admit()) throw new StoreError('timeout');
    const running = part === 'reading' ? link.run([...commands, ...optional]) : link.runTogether(commands);
    const replies = this.#hear(await this.#beforeDeadline(running)).slice(0, commands.length);
    this.#judge(part, replies);
    return replies;
  }

  /** Sends commands without waiting for their outcome. */
  send(commands: readonly RedisCommand[]): void {
    if (commands.length > 0) void this.#options.link.run(commands);
  }

  /**
   * Call it when the connection is ready. After timeouts, the server must respond in time before it is used
   * again.
   */
  onReady(): void {
    const { breaker, health } = this.#options;
    if (breaker.state === 'closed') health.succeed('connection');
    else void this.probe();
  }

  /** Call it when the connection is lost. */
  onLost(error: Error): void {
    this.#options.health.fail('connection', redisProblem(error));
  }

  /** Retries the failing parts; does nothing while all work. Call it regularly. Never rejects. */
  async probe(): Promise<void> {
    const { link, health, probes, breaker } = this.#options;
    if (health.isUp || !link.isReady) return;
    try {
      const running = link.run(probes.reading);
      const replies = await this.#beforeDeadline(running);
      // A closed breaker counts only the timeouts of requests.
      if (!replies && breaker.state === 'closed') return;
      this.#judge('reading', this.#hear(replies));
      if (health.isFailing('writing')) await this.ask('writing', probes.writing);
    } catch (error) {
      // Already reported.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** A reply that has arrived by the deadline counts, even if this process was too busy to read it. */
  #beforeDeadline(running: Promise<readonly RedisReply[]>): Promise<readonly RedisReply[] | undefined> {
    const deadline = this.#options.deadline(this.#options.timeoutMs);
    return new Promise((resolve) => {
      void running.then(resolve);
      const giveUp = () => setImmediate(() => resolve(undefined));
      deadline.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Records whether there was a reply; throws a StoreError if there was none. */
  #hear(replies: readonly RedisReply[] | undefined): readonly RedisReply[] {
    const { breaker, health } = this.#options;
    if (!replies) {
      breaker.fail();
      if (breaker.state !== 'closed') health.fail('connection', 'timeout');
      throw new StoreError('timeout');
    }
    if (isLost(replies)) {
      // The link reports the lost connection.
      breaker.abandon();
      throw new StoreError('unreachable');
    }
    breaker.succeed();
    health.succeed('connection');
    return replies;
  }

  /**
   * Records errors in the replies; throws a StoreError for an error that does not concern the value alone.
   */
  #judge(part: StorePart, replies: readonly RedisReply[]): void {
    const { health } = this.#options;
    const failed = replies.find((reply) => !reply.ok && !isWrongType(reply.error));
    if (failed === undefined || failed.ok) {
      health.succeed(part);
      return;
    }
    const problem = redisProblem(failed.error);
    health.fail(part, problem);
    if (problem === 'read_only') this.#lookForAnother();
    throw new StoreError(problem);
  }

  #lookForAnother(): void {
    const { link, now } = this.#options;
    if (now() - this.#reconnectedAt < RECONNECT_MS) return;
    this.#reconnectedAt = now();
    link.reconnect();
  }
}

/** Whether the connection was lost before any reply. */
function isLost(replies: readonly RedisReply[]): boolean {
  return replies.every((reply) => !reply.ok && redisProblem(reply.error) === 'unreachable');
}

/** The parts that can fail separately: a full server still reads. */
type StorePart = 'connection' | 'reading' | 'writing';

/** Receives changes of the store's health. */
interface StoreHealthListener {
  /** The store has failed in this part; no further call follows until it has recovered. */
  readonly onDown: (part: StorePart, problem: StoreProblem) => void;
  readonly onUp: () => void;
}

/**
 * Time without failures until a failed part counts as recovered, in milliseconds: if one node of a cluster is
 * away, others still succeed.
 */
const SETTLE_MS = 1_000;

/** Tracks the failing parts of a store, and reports once when it fails and once when it has recovered. */
export class StoreHealth {
  readonly #listener: StoreHealthListener;
  readonly #now: () => number;
  /** The time of each part's last failure. */
  readonly #failing = new Map<StorePart, number>();
  #hasConnected = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(listener: StoreHealthListener, now: () => number) {
    this.#listener = listener;
    this.#now = now;
  }

  /** Whether everything tried so far works. */
  get isUp(): boolean {
    return this.#hasConnected && this.#failing.size === 0;
  }

  isFailing(part: StorePart): boolean {
    return this.#failing.has(part);
  }

  fail(part: StorePart, problem: StoreProblem): void {
    const wasWhole = this.#failing.size === 0;
    this.#failing.set(part, this.#now());
    if (wasWhole) this.#listener.onDown(part, problem);
  }

  succeed(part: StorePart): void {
    if (part === 'connection') this.#hasConnected = true;
    else if (this.#now() - (this.#failing.get(part) ?? 0) < SETTLE_MS) return;
    if (this.#failing.delete(part) && this.#failing.size === 0) this.#listener.onUp();
  }
}

/** Problems of a store in another process. */
export const STORE_PROBLEMS = [
  /** No connection. */
  'unreachable',
  /** No reply within the deadline, or too many recent timeouts. */
  'timeout',
  /** The server requires another user or password, or the user lacks permissions. */
  'refused',
  /** The server is still loading its data. */
  'loading',
  /** The server takes no writes: a replica, or a demoted primary. */
  'read_only',
  /** The server has no memory left. */
  'full',
  /** The cluster does not serve the key. */
  'cluster_down',
  /** The value exceeds the size limit. */
  'too_large',
  /** Any other error. */
  'unusable',
] as const;
type StoreProblem = (typeof STORE_PROBLEMS)[number];

/** An error of a store in another process. Its message is the problem, without content or credentials. */
export class StoreError extends Error {
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem) {
    super(problem);
    this.name = 'StoreError';
    this.problem = problem;
  }
}

/**
 * First words of Redis' error replies; see
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors.
 */
const BY_CODE: Readonly<Record<string, StoreProblem>> = {
  NOAUTH: 'refused',
  WRONGPASS: 'refused',
  NOPERM: 'refused',
  LOADING: 'loading',
  READONLY: 'read_only',
  OOM: 'full',
  CLUSTERDOWN: 'cluster_down',
  MASTERDOWN: 'cluster_down',
  MOVED: 'cluster_down',
  ASK: 'cluster_down',
  TRYAGAIN: 'cluster_down',
};

/** Matches messages about a missing or lost connection. */
const UNREACHABLE =
  /connect|closed|writeable|retries|sentinels are unreachable|slots cache|startup nodes|cluster isn't ready|socket|ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|ETIMEDOUT/i;

/**
 * Classifies an error of the Redis client. Server errors begin with a code; the client's own have only a
 * message.
 */
export function redisProblem(error: Error): StoreProblem {
  const { message } = causeOf(error);
  const [code = ''] = message.split(' ', 1);
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known ?? (UNREACHABLE.test(message) ? 'unreachable' : 'unusable');
}

/**
 * Returns the root cause of an error: for a discarded transaction, the reply to one of its commands; for a
 * cluster, the error of its last node.
 *
 * All commands of a lost connection share one error, which then lists itself among its causes.
 */
function causeOf(error: Error): Error {
  const seen = new Set<Error>();
  let cause = error;
  for (let next: Error | undefined = error; next !== undefined && !seen.has(next); ) {
    seen.add(next);
    cause = next;
    const { previousErrors, lastNodeError } = next as { previousErrors?: Error[]; lastNodeError?: Error };
    next = previousErrors?.[0] ?? lastNodeError;
  }
  return cause;
}

/** Whether a key holds a value of another type than expected. */
export function isWrongType(error: Error): boolean {
  return error.message.startsWith('WRONGTYPE');
}
