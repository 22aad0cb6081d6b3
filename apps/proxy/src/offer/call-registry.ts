import type { RegistryCall } from '@winnow/contract';
import { type RegistryClient, RegistryFailure } from '@winnow/registry-client';
import { type CircuitBreaker, causeCode } from '@winnow/service';
import { explain } from './explain-outcome.ts';
import { type ReadResult, readResult } from './read-result.ts';

/** The registry whose tools are offered. */
export interface OfferedRegistry {
  readonly call: CallRegistry;
  /** Of the operator; empty when there is none. */
  readonly token: string;
  /** Whether it has failed so often that it is left alone for a while. */
  readonly isAway: () => boolean;
}

/** One call of an offered tool. */
export interface OfferedCall {
  readonly tool: RegistryCall['tool'];
  readonly input: Readonly<Record<string, unknown>>;
  /** Sent as a bearer token; empty to send none. */
  readonly token: string;
  /** Headers that lead from this request to the registry's log: `x-request-id`, trace headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** The text that the model reads, and the registry's part in it. */
export interface CallOutcome extends ReadResult {
  readonly status?: number;
  readonly cause?: string;
}

/**
 * Calls one of the offered tools at the registry's door to tools that only read.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts, and within the time limit;
 * every outcome has a text that the model can act on.
 */
export type CallRegistry = (call: OfferedCall) => Promise<CallOutcome>;

/** What calling needs. */
export interface CallContext {
  readonly client: Pick<RegistryClient, 'callTool'>;
  readonly breaker: CircuitBreaker;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
}

/** Tools that the registry answers itself, without a server: a call that takes too long tells of the registry. */
const ANSWERED_ITSELF: ReadonlySet<RegistryCall['tool']> = new Set(['search_tools', 'describe_tools']);

/** Calls within a time limit, and not while the registry fails. */
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

  /** The failure tells what went wrong on the wire; the signals tell who has given up. */
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
