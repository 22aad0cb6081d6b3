import { type RegistryClient, RegistryFailure } from '@winnow/clients';
import type { RegistryCall } from '@winnow/core';
import { type CircuitBreaker, causeCode } from '@winnow/service';
import { explain } from './explain-outcome.ts';
import { type ReadResult, readResult } from './read-result.ts';

/** The registry whose tools are offered. */
export interface OfferedRegistry {
  readonly call: CallRegistry;
  /** The operator's token; empty if there is none. */
  readonly token: string;
  /** Whether it has failed so often that it is not called for a while. */
  readonly isAway: () => boolean;
}

/** One call of an offered tool. */
export interface OfferedCall {
  readonly tool: RegistryCall['tool'];
  readonly input: Readonly<Record<string, unknown>>;
  /** Sent as a bearer token; empty to send none. */
  readonly token: string;
  /** Headers that link the registry's log to this request: `x-request-id` and trace headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** The text that the model reads, with details of the registry's response. */
export interface CallOutcome extends ReadResult {
  readonly status?: number;
  readonly cause?: string;
}

/**
 * Calls one of the offered tools at the registry's read-only endpoint.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts, and
 * within the time limit; every outcome has a text that the model can act on.
 */
export type CallRegistry = (call: OfferedCall) => Promise<CallOutcome>;

export interface CallContext {
  readonly client: Pick<RegistryClient, 'callTool'>;
  readonly breaker: CircuitBreaker;
  /** Time limit of one call, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
}

/** Tools that the registry answers itself, without a server: a slow call points to the registry. */
const ANSWERED_ITSELF: ReadonlySet<RegistryCall['tool']> = new Set(['search_tools', 'describe_tools']);

/** Returns a function that calls the registry within a time limit, and not while it fails. */
export function createCallRegistry(context: CallContext): CallRegistry {
  const { client, breaker, timeoutMs } = context;
  return async (call) => {
    if (call.signal.aborted) return explain('client_gone');
    if (!breaker.admit()) return explain('circuit_open');
    const deadline = context.deadline(timeoutMs);
    try {
      const { tool: name, input, token, headers } = call;
      const signal = AbortSignal.any([call.signal, deadline]);
      const messages = await client.callTool({ name, input, token, headers, signal });
      breaker.succeed();
      const result = messages.flatMap((message) => readResult(message) ?? [])[0];
      return { ...(result ?? explain('bad_answer')), status: 200 };
    } catch (error) {
      return failed(error, call, deadline);
    }
  };

  /**
   * Returns the outcome of a failed call. The failure tells what went wrong in transport; the signals tell
   * who aborted.
   */
  function failed(error: unknown, { signal, tool }: OfferedCall, deadline: AbortSignal): CallOutcome {
    const failure = error instanceof RegistryFailure ? error : undefined;
    const status = failure?.status;
    if (status !== undefined) {
      if (status >= 500) breaker.fail();
      else breaker.succeed();
      return { ...refusalOf(status), status };
    }
    if (signal.aborted || failure?.reason === 'invalid_response') {
      breaker.abandon();
      return explain(signal.aborted ? 'client_gone' : 'bad_answer');
    }
    if (deadline.aborted) {
      if (ANSWERED_ITSELF.has(tool)) breaker.fail();
      else breaker.abandon();
      return explain('timed_out');
    }
    breaker.fail();
    const cause = causeCode(failure?.cause ?? error);
    return { ...explain('unreachable'), ...(cause !== undefined && { cause }) };
  }
}

function refusalOf(status: number): ReadResult {
  if (status === 401 || status === 403) return explain('forbidden');
  return explain(status >= 500 || status === 429 ? 'unreachable' : 'bad_answer');
}
