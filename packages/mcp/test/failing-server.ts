import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A failure of the next request of a method. */
export interface PlannedFailure {
  readonly method: string;
  readonly fail: (response: ServerResponse, id: unknown) => void;
}

/** A server with sessions over HTTP, one request of which can be made to fail. */
export interface FailingServer {
  readonly url: string;
  /** Methods of the requests that it has read, with their tools. */
  readonly requests: { readonly method: string; readonly params: Record<string, unknown> }[];
  /** The failure of the next requests of its method; undefined for none. */
  failure: PlannedFailure | undefined;
  /** The end of a stream that is resumed: it breaks, is refused, or brings the response. */
  resumed: 'break' | 'refuse' | 'answer';
  /** Failures that are left to happen. */
  left: number;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  /** Notifies all sessions of a changed resource. */
  tellUpdated(uri: string): void;
  close(): Promise<void>;
}

const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
    serverInfo: { name: 'failing', version: '1' },
  },
  'tools/list': {
    tools: [
      { name: 'find', inputSchema: { type: 'object' } },
      { name: 'bad', inputSchema: { type: 'object' } },
    ],
  },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'prompts/get': { messages: [] },
  'resources/list': { resources: [{ uri: 'note:1', name: 'note' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [{ uri: 'note:1', text: 'x' }] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
};

export async function startFailingServer(port = 0): Promise<FailingServer> {
  const sessions = new Map<string, ServerResponse | undefined>();
  const requests: FailingServer['requests'] = [];
  const server = createServer((request, response) => void answer(request, response));
  let lastId: unknown;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const session = request.headers['mcp-session-id'] as string | undefined;
    const isKnown = session !== undefined && sessions.has(session);
    if (request.method === 'GET') {
      if (!isKnown) return void response.writeHead(404).end();
      const isResumed = request.headers['last-event-id'] !== undefined;
      if (isResumed && planned.resumed === 'refuse') return void response.writeHead(400).end();
      if (isResumed) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
        if (planned.resumed === 'break') return void setTimeout(() => response.socket?.destroy(), 20);
        const answered = { jsonrpc: '2.0', id: lastId, result: { content: [] } };
        return void response.end(`data: ${JSON.stringify(answered)}\n\n`);
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      sessions.set(session, response);
      return;
    }
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString());
    if (method !== 'initialize' && !isKnown) {
      const error = { code: -32_001, message: 'Session not found' };
      const status = session === undefined ? 400 : 404;
      response.writeHead(status, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    if (id === undefined) return void response.writeHead(202).end();
    requests.push({ method, params });
    lastId = id;
    const isPlanned =
      planned.failure?.method === method && (method !== 'tools/call' || params.name === 'bad');
    if (isPlanned && planned.left > 0) {
      planned.left--;
      return planned.failure!.fail(response, id);
    }
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (method === 'initialize') {
      const created = randomUUID();
      sessions.set(created, undefined);
      headers['mcp-session-id'] = created;
    }
    response.writeHead(200, headers);
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] }));
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const planned: FailingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    failure: undefined,
    resumed: 'break',
    left: 0,
    forget() {
      for (const stream of sessions.values()) stream?.destroy();
      sessions.clear();
    },
    tellUpdated(uri) {
      const params = { uri };
      const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params };
      for (const stream of sessions.values()) stream?.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return planned;
}
