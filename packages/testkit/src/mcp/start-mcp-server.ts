import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { grantTokens } from './grant-tokens.ts';
import { answerMcp, createMcpScript, LIST_CHANGED, type McpMessage, type McpScript } from './mcp-script.ts';

/** A scripted MCP server over streamable HTTP, written by hand so that it can do what no library would. */
export interface ScriptedMcpServer {
  readonly url: string;
  /** May change at any time. */
  readonly script: McpScript;
  /** All requests so far. */
  readonly requests: readonly SeenRequest[];
  /** Notifies all listening clients that the list has changed. */
  tellChange(): void;
  /** Streams of the listening clients. */
  readonly listeners: number;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly verb: string;
  readonly method: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly params: Readonly<Record<string, unknown>>;
}

/** Notifications of a flood: in one write, repeated while the server lives. */
const FLOOD = 200;
const FLOOD_MS = 5;

/** Starts a server on a free local port. */
export async function startMcpServer(parts: Partial<McpScript> = {}): Promise<ScriptedMcpServer> {
  const script = createMcpScript(parts);
  const requests: SeenRequest[] = [];
  /** Open streams, each with its subscription id in the new era. */
  const streams = new Map<ServerResponse, string | number | undefined>();
  const tellChange = (times = 1) => {
    for (const [stream, id] of streams) {
      const params =
        id === undefined ? {} : { params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } } };
      stream.write(event({ ...LIST_CHANGED, ...params }).repeat(times));
    }
  };
  const flood = setInterval(() => script.mood === 'floods' && tellChange(FLOOD), FLOOD_MS);
  flood.unref();
  const server = createServer(async (incoming, outgoing) => {
    outgoing.on('error', () => {});
    const body = await readBody(incoming);
    const message = parse(body);
    const { method, headers } = incoming;
    if (grantTokens(incoming, body, script, outgoing)) return;
    requests.push({ verb: method!, method: message?.method, headers, params: message?.params ?? {} });
    if (script.redirectTo !== undefined) {
      outgoing.writeHead(307, { location: script.redirectTo }).end();
      return;
    }
    if (method === 'GET') return openStream(outgoing, streams, undefined, script.era !== 'modern');
    if (method === 'DELETE') return end(outgoing, 200);
    if (message === undefined) return end(outgoing, 400);
    if (script.mood === 'unauthorized') return end(outgoing, 401);
    if (message.method === 'subscriptions/listen') return subscribe(message, outgoing, streams);
    if (message.id === undefined) return end(outgoing, 202);
    respond(message, script, outgoing, headers.authorization ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    script,
    requests,
    tellChange: () => tellChange(),
    get listeners() {
      return streams.size;
    },
    async close() {
      clearInterval(flood);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(message: McpMessage, script: McpScript, outgoing: ServerResponse, seen: string): void {
  const answer = answerMcp(message, script, seen);
  if (answer === 'nothing') return;
  const isList = message.method === 'tools/list';
  const isHandshake = message.method === 'initialize';
  if (answer.length > 1) {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.end(answer.map(event).join(''));
    return;
  }
  const body = Buffer.from(JSON.stringify(answer[0]));
  const type = { 'content-type': 'application/json', ...(isHandshake && { 'mcp-session-id': 'session-1' }) };
  switch (isList ? script.mood : 'well') {
    case 'dies':
      outgoing.writeHead(200, { ...type, 'content-length': body.length });
      outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
      return;
    case 'garbage':
      outgoing.writeHead(200, type).end('<html>Bad gateway</html>');
      return;
    case 'short_length':
      outgoing.strictContentLength = false;
      outgoing.writeHead(200, { ...type, 'content-length': 10 }).end(body);
      return;
    case 'long_length':
      outgoing.writeHead(200, { ...type, 'content-length': body.length + 1_000 });
      outgoing.write(body, () => outgoing.destroy());
      return;
    default:
      outgoing.writeHead(200, type).end(body);
  }
}

function subscribe(
  { id }: McpMessage,
  outgoing: ServerResponse,
  streams: Map<ServerResponse, string | number | undefined>,
): void {
  openStream(outgoing, streams, id, true);
  const params = {
    _meta: { 'io.modelcontextprotocol/subscriptionId': id },
    notifications: { toolsListChanged: true },
  };
  outgoing.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }));
}

function openStream(
  outgoing: ServerResponse,
  streams: Map<ServerResponse, string | number | undefined>,
  id: string | number | undefined,
  hasStreams: boolean,
): void {
  if (!hasStreams) {
    end(outgoing, 405);
    return;
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  outgoing.flushHeaders();
  streams.set(outgoing, id);
  outgoing.once('close', () => streams.delete(outgoing));
}

function event(message: McpMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function end(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status).end();
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): McpMessage | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
