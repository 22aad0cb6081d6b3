import type { RegistryCall } from '@winnow/contract';
import { type Agent, type CircuitBreaker, causeCode } from '@winnow/service';
import { parseJson } from '@winnow/text';
import { framingOf, readEvents } from '@winnow/wire';
import { explain } from './explain-outcome.ts';
import { type ReadResult, readResult } from './read-result.ts';

/** Which registry is asked. */
export interface RegistryClientOptions {
  /** Of the registry itself, such as `http://127.0.0.1:8790`. */
  readonly url: string;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** What asking takes from the world around it. */
export interface RegistryClientEffects {
  readonly agent: Pick<Agent, 'request'>;
  readonly breaker: CircuitBreaker;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
}

/** One call of an offered tool. */
export interface OfferedCall {
  readonly tool: RegistryCall['tool'];
  readonly input: Readonly<Record<string, unknown>>;
  /** Sent as a bearer token; empty to send none. */
  readonly token: string;
  /** What leads from this request to the registry's log: `x-request-id`, trace headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** What the model reads, and the registry's part in it. */
export interface CallOutcome extends ReadResult {
  readonly status?: number;
  readonly cause?: string;
}

/**
 * Calls one of the offered tools at the registry's door to what only reads.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts, and within the time limit; every outcome has a
 * text that the model can act on.
 */
export type RegistryClient = (call: OfferedCall) => Promise<CallOutcome>;

/** A result is cut far below this; what is larger is not read at all. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** What is asked of the registry, and no server: that it takes too long says something of the registry. */
const ANSWERED_ITSELF: ReadonlySet<RegistryCall['tool']> = new Set(['search_tools', 'describe_tools']);

/** A client of one registry. */
export function createRegistryClient(
  { url, timeoutMs }: RegistryClientOptions,
  { agent, breaker, deadline: startDeadline }: RegistryClientEffects,
): RegistryClient {
  const { origin, pathname } = new URL(url);
  const path = `${pathname.replace(/\/$/, '')}/mcp/read-only`;

  return async (call) => {
    if (call.signal.aborted) return explain('client_gone');
    if (!breaker.admit()) return explain('circuit_open');
    const deadline = startDeadline(timeoutMs);
    try {
      const outcome = await ask(call, AbortSignal.any([call.signal, deadline]));
      if (outcome.status !== undefined && outcome.status >= 500) breaker.fail();
      else breaker.succeed();
      return outcome;
    } catch (error) {
      return failed(error, call, deadline);
    }
  };

  async function ask(call: OfferedCall, signal: AbortSignal): Promise<CallOutcome> {
    const { tool, input, token, headers } = call;
    const response = await agent.request({
      origin,
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
        ...headers,
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: input },
      }),
      signal,
    });
    const status = response.statusCode;
    const contentType = response.headers['content-type']?.toString();
    const read = await readMessages(response.body, contentType);
    if (status < 200 || status > 299) return { ...refusalOf(status), status };
    const result = read.flatMap((message) => readResult(message) ?? [])[0];
    return { ...(result ?? explain('bad_answer')), status };
  }

  /** The cause is the transport's: whose deed it was, the signals say. */
  function failed(error: unknown, { signal, tool }: OfferedCall, deadline: AbortSignal): CallOutcome {
    if (signal.aborted || error instanceof RangeError) {
      breaker.abandon();
      return explain(signal.aborted ? 'client_gone' : 'bad_answer');
    }
    if (deadline.aborted) {
      if (ANSWERED_ITSELF.has(tool)) breaker.fail();
      else breaker.abandon();
      return explain('timed_out');
    }
    breaker.fail();
    const cause = causeCode(error);
    return { ...explain('unreachable'), ...(cause !== undefined && { cause }) };
  }
}

/** The last revision whose requests need no envelope. */
const PROTOCOL = '2025-11-25';

function refusalOf(status: number): ReadResult {
  if (status === 401 || status === 403) return explain('forbidden');
  return explain(status >= 500 || status === 429 ? 'unreachable' : 'bad_answer');
}

/** The messages of a response: one as JSON, or several as events, of which only the result matters. Rejects when there is too much of it. */
async function readMessages(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const event of readEvents(bounded(body), framingOf(contentType))) {
    if (event.kind === 'comment') continue;
    messages.push(parseJson(event.kind === 'event' ? event.data : event.text));
  }
  return messages;
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_RESPONSE_BYTES) throw new RangeError('the response is too large');
    yield piece;
  }
}
