import { CircuitBreaker } from '@winnow/service';
import { type BoundedWork, boundWork, orAborted } from './bound-wait.ts';
import { callProblem } from './describe-failure.ts';
import { CallProblem, FAILURES, type FailureKind, failureOf, toServerProblem } from './failures.ts';
import type { CallHolder, CallOptions, CallResult, Progress, SubscribeOptions } from './mcp-servers.ts';
import type { After } from './process-group.ts';
import {
  SERVER_TIMES,
  type SentRequest,
  type ServerConnection,
  type ServerEffects,
} from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';

/** Parts of {@link ServerCalls}. */
export interface ServerCallsParts extends Pick<ServerEffects, 'after' | 'now'> {
  readonly entry: ServerEntry;
  /** Aborts when the server is no longer kept. */
  readonly ending: AbortSignal;
  /** Runs a call on the connection that is for its holder. */
  readonly run: <Result>(
    holder: CallHolder | undefined,
    call: (connection: ServerConnection) => Promise<Result>,
    options: { readonly onlyReads: boolean; readonly signal: AbortSignal },
  ) => Promise<Result>;
  /** Returns the reason that the last attempt to read the server failed. */
  readonly lastError: () => string | undefined;
  /** A call showed that the server may have changed. */
  readonly onDoubt: () => void;
}

/**
 * Requests of callers to one server, for as long as it answers: a server that failed several in a row is not
 * called for a while.
 */
export class ServerCalls {
  readonly #parts: ServerCallsParts;
  readonly #breaker: CircuitBreaker;

  constructor(parts: ServerCallsParts) {
    this.#parts = parts;
    this.#breaker = new CircuitBreaker({ ...SERVER_TIMES.breaker, now: parts.now });
  }

  /** Rejects with a `CallProblem`. */
  async request(
    request: Pick<SentRequest, 'method' | 'params' | 'headers'>,
    options: CallOptions,
  ): Promise<CallResult> {
    const { holder, signal, timeoutMs, onProgress, ...rest } = options;
    const run = (work: BoundedWork) =>
      this.#parts.run(
        holder,
        async (connection) => {
          work.signal.throwIfAborted();
          const sent = { ...rest, ...request, signal: work.signal };
          return connection.request({ ...sent, onProgress: renewing(onProgress, work) });
        },
        { onlyReads: request.method !== 'tools/call', signal: work.signal },
      );
    return this.#run(timeoutMs, signal, run);
  }

  /**
   * Holds the connection that is for a holder: `begin` has the time of a call, `stay` any time. Rejects with a `CallProblem` if it does not
   * begin.
   */
  async hold<Begun>(holder: CallHolder | undefined, { begin, stay, signal }: HeldWork<Begun>): Promise<void> {
    let held = Promise.resolve();
    await this.#run(
      undefined,
      signal,
      (work) =>
        new Promise<void>((resolve, reject) => {
          let hasBegun = false;
          const run = async (connection: ServerConnection) => {
            if (!hasBegun) work.signal.throwIfAborted();
            const begun = await begin(connection, work.signal);
            hasBegun = true;
            resolve();
            await stay(begun);
          };
          held = this.#parts.run(holder, run, { onlyReads: true, signal });
          held.catch(reject);
        }),
    );
    await held;
  }

  /** Waits for the server on behalf of a call, within its time. Rejects with a `CallProblem`. */
  waitFor(work: () => Promise<void>, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    // A server that returns no list is not there for anyone.
    return this.#run(timeoutMs, signal, work, 'unreachable');
  }

  async #run<Result>(
    timeoutMs = this.#parts.entry.timeouts.callMs,
    signal: AbortSignal | undefined,
    run: (work: BoundedWork) => Promise<Result>,
    late: FailureKind = 'timed_out',
  ): Promise<Result> {
    const { entry, after, ending, lastError } = this.#parts;
    const { name, isEnabled } = entry;
    if (!isEnabled) throw new CallProblem('unknown_server', `The server "${name}" is disabled.`);
    if (ending.aborted || !this.#breaker.admit()) throw unreachable(name, lastError());
    const work = boundWork(after, timeoutMs, signal);
    try {
      const result = await orAborted(run(work), work.signal);
      this.#breaker.succeed();
      return result;
    } catch (error) {
      throw this.#settle(error, work, signal, late);
    } finally {
      work.done();
    }
  }

  #settle(
    error: unknown,
    work: BoundedWork,
    signal: AbortSignal | undefined,
    late: FailureKind,
  ): CallProblem {
    const { name } = this.#parts.entry;
    if (signal?.aborted && !work.isLate()) {
      this.#breaker.abandon();
      return new CallProblem('cancelled', `The call to the server "${name}" was cancelled.`);
    }
    const failure = work.isLate() ? late : (failureOf(error) ?? 'bad_answer');
    // Nothing was sent.
    if (error instanceof CallProblem && error.failure === undefined) {
      this.#breaker.abandon();
      return error;
    }
    const { changes, isDoubt } = FAILURES[failure];
    if (changes === 'server') this.#breaker.fail();
    else if (WITHOUT_ANSWER.has(failure)) this.#breaker.abandon();
    else this.#breaker.succeed();
    if (isDoubt) this.#parts.onDoubt();
    if (work.isLate())
      return new CallProblem('timed_out', `The server "${name}" did not answer in time.`, undefined, failure);
    if (error instanceof CallProblem) return error;
    const problem = toServerProblem(error);
    return failure === 'unreachable' ? unreachable(name, problem.message) : callProblem(name, problem);
  }
}

/** Failures that leave open whether the server is there. */
const WITHOUT_ANSWER: ReadonlySet<FailureKind> = new Set([
  'session_lost',
  'connection_lost',
  'connection_broken',
  'timed_out',
]);

/** Work that keeps a connection. */
interface HeldWork<Begun> {
  readonly begin: (connection: ServerConnection, signal: AbortSignal) => Promise<Begun>;
  readonly stay: (begun: Begun) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Restarts the call's timeout with each progress notification, which servers are always asked for. */
function renewing(onProgress: CallOptions['onProgress'], { renew }: BoundedWork) {
  return (progress: Progress) => {
    renew();
    onProgress?.(progress);
  };
}

function unreachable(server: string, reason: string | undefined): CallProblem {
  return new CallProblem(
    'server_unreachable',
    `The server "${server}" cannot be reached.${reason === undefined ? '' : ` ${reason}`}`,
  );
}

export interface KeptSubscriptionParts extends SubscribeOptions {
  readonly calls: Pick<ServerCalls, 'hold'>;
  readonly after: After;
}

/**
 * Subscribes to a resource until the signal aborts, again whenever the connection was lost. Resolves as soon as it is subscribed for the first
 * time; rejects with a `CallProblem` when that fails.
 */
export function keepSubscribed(uri: string, parts: KeptSubscriptionParts): Promise<void> {
  return new Promise((resolve, reject) => {
    void keep(uri, parts, resolve).catch(reject);
  });
}

async function keep(uri: string, parts: KeptSubscriptionParts, onFirst: () => void): Promise<void> {
  const { signal, onUpdated, after } = parts;
  let isFirst = true;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await subscribeOnce(uri, parts, () => {
        failures = 0;
        if (isFirst) onFirst();
        // It may have changed while nothing was listened to.
        else onUpdated();
        isFirst = false;
      });
    } catch (error) {
      if (isFirst) throw error;
    }
    if (signal.aborted) return;
    const { first, most } = SERVER_TIMES.backoffMs;
    await delay(Math.min(first * 2 ** failures++, most), after, signal);
  }
  if (isFirst) throw new CallProblem('cancelled', 'The subscription was cancelled.');
}

/** Subscribes, and waits until the subscription ends. */
function subscribeOnce(
  uri: string,
  { calls, holder, signal, onUpdated }: KeptSubscriptionParts,
  onSubscribed: () => void,
): Promise<void> {
  // The connection of a holder must stay for as long as it is listened to.
  return calls.hold(holder, {
    signal,
    begin: (connection, bounded) => connection.subscribe(uri, onUpdated, bounded),
    stay: async (subscription) => {
      onSubscribed();
      const { promise: aborted, resolve: stop } = Promise.withResolvers<void>();
      const end = () => stop();
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      await Promise.race([subscription.closed, aborted]);
      signal.removeEventListener('abort', end);
      await subscription.stop();
    },
  });
}

function delay(ms: number, after: After, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
