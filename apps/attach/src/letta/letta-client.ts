import { parseJson, readText } from '@winnow/core';
import {
  causeCode,
  type HttpPool,
  SILENT_SPAN,
  type Span,
  type SpanAttributes,
  serverAttributes,
} from '@winnow/service';
import type { Agent, KnownTool } from '../plan/known-tool.ts';
import {
  LettaFailure,
  type OfferedTool,
  readAgent,
  readOfferedTools,
  readServers,
  readTool,
  readTools,
} from './read-answers.ts';

/**
 * The calls of a Letta server that attaching tools needs. All failures are a `LettaFailure`. Every call has a
 * timeout and, except for `wake`, is retried once if the connection breaks or Letta fails temporarily: all of
 * them may be repeated.
 */
export interface Letta {
  /** Returns a client for the same server whose calls become children of a span. */
  under(span: Span): Letta;
  /** An agent with all of its tools and its rules, by one call: Letta's pages of an agent's tools lose some and repeat others. */
  readAgent(agentId: string, signal: AbortSignal): Promise<Agent>;
  /** Does nothing where the tool is attached already. */
  attach(agentId: string, toolId: string, signal: AbortSignal): Promise<void>;
  /** Does nothing where the tool is not attached; Letta answers 200 all the same. */
  detach(agentId: string, toolId: string, signal: AbortSignal): Promise<void>;
  /** All tools of the server, page by page. */
  listTools(signal: AbortSignal): AsyncIterable<readonly KnownTool[]>;
  listServers(signal: AbortSignal): Promise<readonly string[]>;
  /** Lists the tools of an MCP server, registered or not. Letta asks that server. */
  listOffered(server: string, signal: AbortSignal): Promise<readonly OfferedTool[]>;
  register(server: string, name: string, signal: AbortSignal): Promise<KnownTool>;
  /** Sends the agent a message, so that its loop runs. Resolves when the loop has ended. */
  wake(agentId: string, text: string, signal: AbortSignal): Promise<void>;
  /** Whether the server answers. */
  ping(signal: AbortSignal): Promise<void>;
}

/** Options of the client of a Letta server. */
export interface LettaClientOptions {
  /** Its address, such as `http://letta:8283`. */
  readonly url: string;
  /** Sent as a bearer token; empty to send none. */
  readonly password: string;
  /** The time limit of one call, in milliseconds. */
  readonly timeoutMs: number;
  readonly pool: Pick<HttpPool, 'request'>;
  /** Returns a signal that aborts after the given milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Called for every response; the status is 0 without one. */
  readonly onCall: (route: LettaRouteName, status: number) => void;
}

/** Calls, as metrics name them. */
export type LettaRouteName =
  | 'read_agent'
  | 'attach'
  | 'detach'
  | 'list_tools'
  | 'list_servers'
  | 'list_offered'
  | 'register'
  | 'wake'
  | 'ping';

/** The time limit for an agent's loop, in milliseconds; no request waits for it. */
const WAKE_MS = 60_000;

/** The least delay before the second attempt, which may be twice as long, in milliseconds. */
const RETRY_MS = 50;

/**
 * Tools per page. Letta registers its own tools again at each listing whose first page does not contain all of
 * them. They are the oldest, so listing the oldest first puts them on that page.
 */
const PAGE_SIZE = 200;

/** Most pages, so that a server that repeats itself is not listened to for ever. */
const MAX_PAGES = 500;

/** An agent with 100 tools of large schemas has about 2 MB and 50,000 values. */
const BODY_LIMITS = { maxBytes: 32 * 1024 * 1024, maxValues: 500_000 } as const;

/** Statuses of a failure that may have passed: a conflict in the database is one. */
const PASSING = [409, 502, 503, 504];

/** Letta leaves the unused state of the agent out of responses to clients that name a version of its library. */
const HEADERS = { accept: 'application/json', 'x-stainless-package-version': '1.12.1' };

interface Call {
  readonly route: LettaRouteName;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** A client of one Letta server. */
export function createLetta(options: LettaClientOptions): Letta {
  const { origin, pathname } = new URL(options.url);
  const address = { origin, base: `${pathname.replace(/\/$/, '')}/v1`, attributes: serverAttributes(origin) };
  return lettaUnder(SILENT_SPAN, address, options);
}

interface Address {
  readonly origin: string;
  /** Before every path. */
  readonly base: string;
  readonly attributes: SpanAttributes;
}

function lettaUnder(parent: Span, address: Address, options: LettaClientOptions): Letta {
  const { origin, base, attributes } = address;

  async function once(one: Call, sentBefore?: number): Promise<string> {
    const { route, method, path, body, signal, timeoutMs = options.timeoutMs } = one;
    const span = parent.startChild(`letta ${route}`, 'client', {
      ...attributes,
      'http.request.method': method,
      'http.request.resend_count': sentBefore,
      'winnow.letta.call': route,
    });
    const limit = AbortSignal.any([signal, options.deadline(timeoutMs)]);
    let status = 0;
    try {
      const response = await options.pool.request({
        origin,
        path: `${base}${path}`,
        method,
        headers: {
          ...HEADERS,
          ...span.headers,
          ...(options.password !== '' && { authorization: `Bearer ${options.password}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: limit,
      });
      status = response.statusCode;
      const text = await readText(response.body, BODY_LIMITS);
      if (text === undefined) throw new LettaFailure('invalid_response', 'the answer is too large');
      if (status === 200) return text;
      throw new LettaFailure(reasonOf(status), `status ${status}`);
    } catch (error) {
      const failure = toFailure(error, limit);
      span.fail(status >= 400 ? String(status) : failure.reason);
      throw failure;
    } finally {
      span.set({ 'http.response.status_code': status === 0 ? undefined : status });
      span.end();
      options.onCall(route, status);
    }
  }

  async function call(one: Call): Promise<string> {
    try {
      return await once(one);
    } catch (error) {
      if (!mayHavePassed(error) || one.signal.aborted) throw error;
      await options.wait(RETRY_MS * (1 + options.random()), one.signal);
      return await once(one, 1);
    }
  }

  const get = async (route: LettaRouteName, path: string, signal: AbortSignal) =>
    parse(await call({ route, method: 'GET', path, signal }));
  const patch = async (route: LettaRouteName, path: string, signal: AbortSignal) => {
    await call({ route, method: 'PATCH', path, signal });
  };
  const part = encodeURIComponent;

  return {
    under: (span) => lettaUnder(span, address, options),
    readAgent: async (agentId, signal) =>
      readAgent(await get('read_agent', `/agents/${part(agentId)}?include=agent.tools`, signal), agentId),
    attach: (agentId, toolId, signal) =>
      patch('attach', `/agents/${part(agentId)}/tools/attach/${part(toolId)}`, signal),
    detach: (agentId, toolId, signal) =>
      patch('detach', `/agents/${part(agentId)}/tools/detach/${part(toolId)}`, signal),
    async *listTools(signal) {
      const seen = new Set<string>();
      for (let after = '', pages = 0; pages < MAX_PAGES; pages++) {
        const more = after === '' ? '' : `&after=${part(after)}`;
        const rows = parsedList(
          await get('list_tools', `/tools/?order=asc&limit=${PAGE_SIZE}${more}`, signal),
        );
        const tools = readTools(rows).filter(({ id }) => !seen.has(id));
        for (const { id } of tools) seen.add(id);
        yield tools;
        const last = tools.at(-1)?.id;
        if (rows.length < PAGE_SIZE || last === undefined) return;
        after = last;
      }
    },
    listServers: async (signal) => readServers(await get('list_servers', '/tools/mcp/servers', signal)),
    listOffered: async (server, signal) =>
      readOfferedTools(await get('list_offered', `/tools/mcp/servers/${part(server)}/tools`, signal), server),
    register: async (server, name, signal) => {
      const path = `/tools/mcp/servers/${part(server)}/${part(name)}`;
      return readTool(parse(await call({ route: 'register', method: 'POST', path, signal })));
    },
    wake: async (agentId, content, signal) => {
      const body = { messages: [{ role: 'system', content }] };
      const path = `/agents/${part(agentId)}/messages`;
      await once({ route: 'wake', method: 'POST', path, body, signal, timeoutMs: WAKE_MS });
    },
    ping: async (signal) => {
      await once({ route: 'ping', method: 'GET', path: '/health/', signal });
    },
  };
}

function toFailure(error: unknown, limit: AbortSignal): LettaFailure {
  if (error instanceof LettaFailure) return error;
  const code = causeCode(error) ?? 'no answer';
  return new LettaFailure(limit.aborted ? 'timeout' : 'unreachable', code, { cause: error });
}

function mayHavePassed(error: unknown): boolean {
  if (!(error instanceof LettaFailure)) return false;
  return error.reason === 'unreachable' || PASSING.some((status) => error.message === `status ${status}`);
}

function reasonOf(status: number) {
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 400 || status === 422) return 'rejected';
  return status === 504 ? 'timeout' : 'unavailable';
}

function parse(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new LettaFailure('invalid_response', 'the response is not JSON');
}

function parsedList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new LettaFailure('invalid_response', 'the list of tools is not a list');
}
