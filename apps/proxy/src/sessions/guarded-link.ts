import type { CircuitBreaker, RedisCommand, RedisLink, RedisReply } from '@winnow/service';
import { isWrongType, redisProblem } from './redis-problem.ts';
import { StoreError } from './store-error.ts';
import type { StoreHealth, StorePart } from './store-health.ts';

export interface GuardedLinkOptions {
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
