import type { RedisCommand, RedisLink, RedisReply } from '@winnow/redis';
import type { CircuitBreaker } from '@winnow/service';
import { isWrongType, redisProblem } from './redis-problem.ts';
import { StoreError } from './store-error.ts';
import type { StoreHealth, StorePart } from './store-health.ts';

/** What a link is guarded with. */
export interface GuardedLinkOptions {
  readonly link: RedisLink;
  /** Keeps requests away for a while after too many round trips in a row went unanswered. */
  readonly breaker: CircuitBreaker;
  readonly health: StoreHealth;
  /** How long a round trip may take, in milliseconds. */
  readonly timeoutMs: number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Commands that a server answers that is well, and that leave nothing behind. */
  readonly probes: Readonly<Record<Exclude<StorePart, 'connection'>, readonly RedisCommand[]>>;
}

/** A server that only reads may have been demoted: then another one has to be looked for, but not again and again. */
const RECONNECT_MS = 5_000;

/**
 * A link to a Redis that no request waits for in vain: every round trip has a deadline, after a few that were missed nothing is asked any
 * more, and what fails is tried in the background until it works.
 */
export class GuardedLink {
  readonly #options: GuardedLinkOptions;
  #reconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(options: GuardedLinkOptions) {
    this.#options = options;
  }

  /** Whether the server answers, as far as is known. */
  get isAnswering(): boolean {
    return !this.#options.health.isFailing('connection');
  }

  /**
   * Replies to commands that read, or that write and are run together. That a key holds another type of value is a reply; any other
   * error of a command is a StoreError, and so is a reply that does not come in time. `optional` are sent with them and may fail.
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

  /** Sends commands whose outcome nobody waits for. */
  send(commands: readonly RedisCommand[]): void {
    if (commands.length > 0) void this.#options.link.run(commands);
  }

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
    const { link, health, probes, breaker } = this.#options;
    if (health.isUp || !link.isReady) return;
    try {
      const running = link.run(probes.reading);
      const replies = await this.#beforeDeadline(running);
      // A closed breaker counts the silence that requests meet, not this one.
      if (!replies && breaker.state === 'closed') return;
      this.#judge('reading', this.#hear(replies));
      if (health.isFailing('writing')) await this.ask('writing', probes.writing);
    } catch (error) {
      // Told of already.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** What has arrived when the deadline comes counts, even if this process was too busy to look. */
  #beforeDeadline(running: Promise<readonly RedisReply[]>): Promise<readonly RedisReply[] | undefined> {
    const deadline = this.#options.deadline(this.#options.timeoutMs);
    return new Promise((resolve) => {
      void running.then(resolve);
      const giveUp = () => setImmediate(() => resolve(undefined));
      deadline.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Takes notice of whether there was a reply at all, and throws a StoreError when there was none. */
  #hear(replies: readonly RedisReply[] | undefined): readonly RedisReply[] {
    const { breaker, health } = this.#options;
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

  /** Takes notice of what the replies say, and throws a StoreError when one of them is an error that is not about the value alone. */
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

/** Whether the connection went before anything was answered. */
function isLost(replies: readonly RedisReply[]): boolean {
  return replies.every((reply) => !reply.ok && redisProblem(reply.error) === 'unreachable');
}
