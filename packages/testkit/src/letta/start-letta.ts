import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  answerLetta,
  type LettaRequest,
  type LettaResponse,
  type LettaRoute,
  lettaRouteOf,
} from './answer-letta.ts';
import { LettaState } from './letta-state.ts';

/**
 * The failure of one call. `reset` breaks the connection before any work, and `late_reset` after it; `hang`
 * never responds; `lost` reports success and does nothing; `nonsense` responds with 200 and invalid JSON.
 */
export type LettaFault =
  | 'reset'
  | 'late_reset'
  | 'hang'
  | 'lost'
  | 'nonsense'
  | { readonly status: number; readonly body?: unknown };

/** A call that was received. */
export interface LettaCall {
  /** Counts from 0, over all calls. */
  readonly number: number;
  readonly route: LettaRoute;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The trace that the call belongs to, if any. */
  readonly traceparent?: string | undefined;
}

/** Behaviour of a fake Letta. */
export interface FakeLettaOptions {
  /** The password that clients must send, like `LETTA_SERVER_PASSWORD`. */
  readonly password?: string;
  /** Delay of every response, in milliseconds. */
  readonly latencyMs?: number;
}

/** A fake Letta that runs in a test. */
export interface FakeLetta {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly state: LettaState;
  /** All calls so far. */
  readonly calls: readonly LettaCall[];
  /** The highest number of concurrent calls. */
  readonly mostAtOnce: number;
  /** Chooses the failures of later calls; undefined for none. */
  faults: ((call: LettaCall) => LettaFault | undefined) | undefined;
  /** Names of the tools attached to an agent, sorted. */
  namesOf(agentId: string): string[];
  close(): Promise<void>;
}

/** Starts a Letta on a free port of 127.0.0.1 that refuses what the real server refuses. */
export async function startLetta({ password, latencyMs = 0 }: FakeLettaOptions = {}): Promise<FakeLetta> {
  const state = new LettaState();
  const calls: LettaCall[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await receive(incoming);
    const { method, path, query } = request;
    const call = {
      number: calls.length,
      route: lettaRouteOf(request),
      method,
      path,
      query: query.toString(),
      traceparent: incoming.headers.traceparent as string | undefined,
    };
    calls.push(call);
    const fault = letta.faults?.(call);
    mostAtOnce = Math.max(mostAtOnce, ++running);
    outgoing.once('close', () => running--);
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    if (!isOpen(request, password)) return send(outgoing, { status: 401, body: { detail: 'Unauthorized' } });
    play(fault, request, { state, outgoing });
  };
  // The server must not close idle connections while a test is busy for seconds.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const letta: FakeLetta = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    calls,
    get mostAtOnce() {
      return mostAtOnce;
    },
    faults: undefined,
    namesOf: (agentId) =>
      state
        .toolsOf(state.agents.get(agentId)!)
        .map(({ name }) => name)
        .sort(),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return letta;
}

async function receive(incoming: IncomingMessage): Promise<LettaRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { pathname, searchParams } = new URL(incoming.url!, 'http://letta');
  const text = Buffer.concat(chunks).toString();
  return {
    method: incoming.method!,
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function isOpen({ headers, path }: LettaRequest, password: string | undefined): boolean {
  if (password === undefined || path === '/v1/health/') return true;
  return (
    headers.authorization === `Bearer ${password}` || headers['x-bare-password'] === `password ${password}`
  );
}

function play(
  fault: LettaFault | undefined,
  request: LettaRequest,
  { state, outgoing }: { readonly state: LettaState; readonly outgoing: ServerResponse },
): void {
  if (fault === 'hang') return;
  if (fault === 'reset') outgoing.destroy();
  else if (fault === 'late_reset') {
    answerLetta(state, request);
    outgoing.destroy();
  } else if (fault === 'lost') send(outgoing, { status: 200, body: null });
  else if (fault === 'nonsense')
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"id": 5, "to');
  else if (fault !== undefined) send(outgoing, { body: { detail: 'scripted' }, ...fault });
  else send(outgoing, answerLetta(state, request));
}

function send(outgoing: ServerResponse, { status, body, headers = {} }: LettaResponse): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
