import { CircuitBreaker } from '@winnow/service';
import { type BoundedWork, boundWork, orAborted } from './bound-wait.ts';
import { CallProblem } from './call-problem.ts';
import type { CallHolder, CallOptions, CallResult, Progress } from './mcp-servers.ts';
import type { SentRequest, ServerConnection } from './server-connection.ts';
import { SERVER_TIMES, type ServerEffects } from './server-effects.ts';
import type { ServerEntry } from './server-entry.ts';
import { toServerProblem } from './server-problem.ts';

/** Parts of {@link ServerCalls}. */
export interface ServerCallsParts extends Pick<ServerEffects, 'after' | 'now'> {
  readonly entry: ServerEntry;
  /** Aborts when the server is no longer kept. */
  readonly ending: AbortSignal;
  /** Runs a call on the connection that is for its holder. */
  readonly run: <Result>(
    holder: CallHolder | undefined,
    call: (connection: ServerConnection) => Promise<Result>,
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
    return this.#run(timeoutMs, signal, (work) =>
      this.#parts.run(holder, async (connection) => {
        work.signal.throwIfAborted();
        return connection.request({
          ...rest,
          ...request,
          signal: work.signal,
          ...(onProgress && { onProgress: renewing(onProgress, work) }),
        });
      }),
    );
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
          held = this.#parts.run(holder, async (connection) => {
            work.signal.throwIfAborted();
            const begun = await begin(connection, work.signal);
            resolve();
            await stay(begun);
          });
          held.catch(reject);
        }),
    );
    await held;
  }

  /** Waits for the server on behalf of a call, within its time. Rejects with a `CallProblem`. */
  waitFor(work: () => Promise<void>, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#run(timeoutMs, signal, work);
  }

  async #run<Result>(
    timeoutMs = this.#parts.entry.timeouts.callMs,
    signal: AbortSignal | undefined,
    run: (work: BoundedWork) => Promise<Result>,
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
      throw this.#settle(error, work, signal);
    } finally {
      work.done();
    }
  }

  #settle(error: unknown, work: BoundedWork, signal: AbortSignal | undefined): CallProblem {
    const { name } = this.#parts.entry;
    if (signal?.aborted && !work.isLate()) {
      this.#breaker.abandon();
      return new CallProblem('cancelled', `The call to the server "${name}" was cancelled.`);
    }
    if (error instanceof CallProblem && error.code === 'overloaded') {
      this.#breaker.abandon();
      return error;
    }
    if (error instanceof CallProblem && error.code === 'refused') this.#breaker.succeed();
    else {
      this.#breaker.fail();
      // Whether it is still there is found out by reading its list.
      this.#parts.onDoubt();
    }
    if (work.isLate()) return new CallProblem('timed_out', `The server "${name}" did not answer in time.`);
    return error instanceof CallProblem ? error : unreachable(name, toServerProblem(error).message);
  }
}

/** Work that keeps a connection. */
interface HeldWork<Begun> {
  readonly begin: (connection: ServerConnection, signal: AbortSignal) => Promise<Begun>;
  readonly stay: (begun: Begun) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Restarts the call's timeout with each progress notification. */
function renewing(onProgress: NonNullable<CallOptions['onProgress']>, { renew }: BoundedWork) {
  return (progress: Progress) => {
    renew();
    onProgress(progress);
  };
}

function unreachable(server: string, reason: string | undefined): CallProblem {
  return new CallProblem(
    'server_unreachable',
    `The server "${server}" cannot be reached.${reason === undefined ? '' : ` ${reason}`}`,
  );
}
