import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, pipeline, type Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A reverse proxy in a test. */
export interface ReverseProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** The head of a request or of a response; names and values of headers alternate. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: readonly string[];
}

/** One planted fault; without members the proxy is correct. */
export interface Fault {
  readonly request?: (head: Head) => Partial<Head>;
  readonly response?: (head: Head) => Partial<Head>;
  /** Changes bodies; each is collected first. */
  readonly requestBody?: (body: Buffer) => Buffer;
  /** Returns a stream through which the body of a response passes. */
  readonly responseStream?: (head: Head) => Transform;
  /** Whether the provider is never told that the client has left. */
  readonly ignoresClients?: boolean;
  /** Whether a response is read as fast as the provider sends it. */
  readonly hasNoBackPressure?: boolean;
  /** Whether the head of a response waits for the first bytes of its body. */
  readonly holdsHeads?: boolean;
  /** Whether a broken connection to the provider looks like the end of the response. */
  readonly hidesBreaks?: boolean;
  /** Whether half a request is sent to the provider as a whole one. */
  readonly completesRequests?: boolean;
  /** Whether requests whose response has one of these statuses are sent once more. */
  readonly repeats?: readonly number[];
  /** Whether requests that the provider has not answered are sent once more. */
  readonly repeatsUnanswered?: boolean;
  /** Whether connections that the provider has closed are used for the next request. */
  readonly usesClosedConnections?: boolean;
  /** Whether an interim response is taken for the response. */
  readonly endsWithInterim?: boolean;
  /** Whether the headers of the first request on a connection go with all of its requests. */
  readonly keepsFirstHeaders?: boolean;
  /** Whether cookies of responses are sent with all later requests. */
  readonly hasCookieJar?: boolean;
  /** Milliseconds without data after which a request is given up. */
  readonly idleMs?: number;
  /** Whether responses go to the client that asked last. */
  readonly mixesClients?: boolean;
  /** Whether a response whose connection breaks is asked for once more. */
  readonly repeatsBroken?: boolean;
  /** Whether clients that ask for leave to send a body get none. */
  readonly ignoresExpect?: boolean;
  /** Most requests that are under way at once; others wait. */
  readonly atOnce?: number;
  /** Whether a request that is like one under way gets the response to that one. */
  readonly mergesRequests?: boolean;
  /** Whether the provider is addressed by the name of the proxy. */
  readonly keepsHost?: boolean;
  /** Whether responses without a length or chunks are refused. */
  readonly wantsLengths?: boolean;
}

/** Headers of a single connection. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Starts a reverse proxy that changes nothing but the headers of a connection, and has at most one fault. */
export async function startReverseProxy(target: string, port = 0, fault: Fault = {}): Promise<ReverseProxy> {
  const state: State = {
    target,
    fault,
    waiting: [],
    agent: fault.usesClosedConnections ? new Agent({ keepAlive: true }) : false,
    hasClosed: false,
    atOnce: 0,
    cookies: [],
    firstHeaders: new WeakMap(),
    underWay: new Map(),
  };
  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    forward(incoming, response, state).catch(() => response.destroy());
  });
  // Without it, Node tells clients to go on by itself.
  if (fault.ignoresExpect) server.on('checkContinue', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      if (state.agent) state.agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface State {
  readonly target: string;
  readonly fault: Fault;
  readonly waiting: ServerResponse[];
  readonly agent: Agent | false;
  /** Whether the provider has closed a connection since the last request. */
  hasClosed: boolean;
  /** Number of requests under way, if there is a limit. */
  atOnce: number;
  cookies: readonly string[];
  readonly firstHeaders: WeakMap<object, readonly string[]>;
  /** The clients that wait for the response to a request, by that request. */
  readonly underWay: Map<string, ServerResponse[]>;
}

async function forward(incoming: IncomingMessage, client: ServerResponse, state: State): Promise<void> {
  const { fault, waiting } = state;
  waiting.push(client);
  const collects =
    fault.requestBody !== undefined ||
    fault.repeats !== undefined ||
    fault.repeatsUnanswered ||
    fault.repeatsBroken ||
    fault.mergesRequests ||
    fault.completesRequests;
  const body = collects ? await collect(incoming, fault) : undefined;
  const refuse = (): void => {
    client.writeHead(fault.hidesBreaks ? 200 : 502, { 'content-type': 'text/plain' }).end('no upstream');
  };
  if (state.hasClosed) {
    state.hasClosed = false;
    incoming.resume();
    return refuse();
  }
  if (fault.mergesRequests) {
    const key = `${incoming.url} ${body}`;
    const others = state.underWay.get(key);
    if (others !== undefined) {
      others.push(client);
      return;
    }
    const alike: ServerResponse[] = [];
    state.underWay.set(key, alike);
    const write = client.write.bind(client) as (chunk: Buffer) => boolean;
    client.write = ((chunk: Buffer) => {
      for (const other of alike) other.write(chunk);
      return write(chunk);
    }) as never;
    client.once('close', () => {
      state.underWay.delete(key);
      for (const other of alike) other.end();
    });
  }
  if (fault.atOnce !== undefined) {
    while (state.atOnce >= fault.atOnce) await delay(10);
    state.atOnce += 1;
    client.once('close', () => (state.atOnce -= 1));
  }
  const ask = (again: boolean): void => {
    const outgoing = open(incoming, state);
    if (fault.idleMs !== undefined)
      outgoing.setTimeout(fault.idleMs, () => outgoing.destroy(new Error('idle')));
    if (fault.endsWithInterim) outgoing.once('information', () => outgoing.destroy(new Error('interim')));
    outgoing.once('response', (answer) => {
      if (fault.usesClosedConnections) answer.socket.once('close', () => (state.hasClosed = true));
      if (fault.hasCookieJar) state.cookies = answer.headers['set-cookie'] ?? state.cookies;
      if (!again && fault.repeats?.includes(answer.statusCode!)) {
        answer.resume();
        ask(true);
        return;
      }
      if (fault.wantsLengths && !answer.headers['content-length'] && !answer.headers['transfer-encoding']) {
        answer.destroy();
        return refuse();
      }
      if (fault.repeatsBroken && !again) {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('end', () => client.writeHead(answer.statusCode!).end(Buffer.concat(chunks)));
        answer.once('error', () => ask(true));
        return;
      }
      const response = fault.mixesClients ? (waiting.pop() ?? client) : client;
      answerClient(answer, response, { fault, path: incoming.url! });
    });
    outgoing.once('error', () => {
      if (client.headersSent) client.destroy();
      else if (fault.repeatsUnanswered && !again) ask(true);
      else refuse();
    });
    client.once('close', () => {
      if (!fault.ignoresClients) outgoing.destroy();
    });
    if (body === undefined) pipeline(incoming, outgoing, () => {});
    else outgoing.end(body);
  };
  ask(false);
}

async function collect(incoming: IncomingMessage, fault: Fault): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!fault.completesRequests) throw error;
  }
  const body = Buffer.concat(chunks);
  return fault.requestBody?.(body) ?? body;
}

function open(incoming: IncomingMessage, { target, fault, agent, cookies, firstHeaders }: State) {
  const given: Head = {
    method: incoming.method!,
    path: incoming.url!,
    status: 0,
    headers: headersOf(incoming, fault, firstHeaders),
  };
  const { method, path, headers } = { ...given, ...fault.request?.(given) };
  const isCollected = fault.requestBody !== undefined || fault.completesRequests;
  const kept = isCollected ? endToEnd(headers, 'content-length') : headers;
  const sent = cookies.flatMap((cookie) => ['cookie', cookie.split(';')[0]!]);
  const host = fault.keepsHost ? incoming.headers.host! : new URL(target).host;
  const lines = [...kept, ...sent, 'host', host];
  return request(target + path, { method, headers: lines as never, agent, setHost: false });
}

function headersOf(
  { rawHeaders, socket }: IncomingMessage,
  fault: Fault,
  firstHeaders: State['firstHeaders'],
): readonly string[] {
  const headers = endToEnd(rawHeaders, 'host');
  if (!fault.keepsFirstHeaders) return headers;
  const first = firstHeaders.get(socket) ?? headers;
  firstHeaders.set(socket, first);
  const at = headers.findIndex((name) => name.toLowerCase() === 'content-length');
  return [...endToEnd(first, 'content-length'), ...headers.slice(at, at + 2)];
}

interface AnswerContext {
  readonly fault: Fault;
  readonly path: string;
}

function answerClient(answer: IncomingMessage, client: ServerResponse, { fault, path }: AnswerContext): void {
  const given: Head = {
    method: '',
    path,
    status: answer.statusCode!,
    headers: endToEnd(answer.rawHeaders),
  };
  const { status, headers } = { ...given, ...fault.response?.(given) };
  const changes = fault.responseStream !== undefined || fault.hidesBreaks;
  const writeHead = (): void => {
    client.writeHead(status, (changes ? endToEnd(headers, 'content-length') : headers) as never);
    client.write('', 'latin1');
  };
  if (fault.holdsHeads) answer.once('readable', writeHead);
  else writeHead();
  if (fault.idleMs !== undefined) answer.setTimeout(fault.idleMs, () => answer.destroy());
  const changed = fault.responseStream?.(given) ?? new PassThrough();
  if (fault.hidesBreaks) {
    answer.on('data', (chunk) => client.write(chunk));
    answer.once('close', () => client.end());
    answer.once('error', () => {});
  } else if (fault.hasNoBackPressure || fault.ignoresClients) {
    answer.on('data', (chunk) => client.write(chunk));
    answer.once('end', () => client.end());
  } else if (client.destroyed) answer.destroy();
  else pipeline(answer, changed, client, () => {});
}

/** Returns the headers without those of a connection and these others. */
export function endToEnd(rawHeaders: readonly string[], ...others: string[]): string[] {
  const dropped = [...HOP_BY_HOP, ...others];
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !dropped.includes(name.toLowerCase()) ? [name, rawHeaders[at + 1]!] : [],
  );
}

if (import.meta.main) {
  const [target = 'http://127.0.0.1:8799', port = '8780'] = process.argv.slice(2);
  const { url } = await startReverseProxy(target, Number(port));
  console.log(`The reverse proxy listens on ${url} and forwards to ${target}.`);
}
