import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ClientGone, type RouteResponse, type RouteStream } from '@winnow/service';
import { z } from 'zod';
import type { Caller } from '../http/callers.ts';
import type { RegistryRoute } from '../http/registry-route.ts';
import type { DoorAccess, FrontDoors, SlowReaders } from '../mcp/front-doors.ts';
import { RegistryError } from '../registry-error.ts';

/** Context of the MCP routes. */
export interface McpContext {
  readonly frontDoors: FrontDoors;
  /** Limits the bytes that wait for all clients together. */
  readonly slowReaders: SlowReaders;
  /** Aborts when the service ends: streams of notifications end, so that clients open them at another instance. */
  readonly ending: AbortSignal;
}

/**
 * If more bytes than these wait for a client that does not read its stream, the next message cuts it off. One
 * result may be larger.
 */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Headers of the protocol. Credentials stay here. */
const PASSED_ON = /^(accept|content-type|mcp-[a-z0-9-]+)$/;

/** The parts of a body, of one message or several, that decide how long the request may take. */
const Message = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.string().optional() }).optional(),
});

/**
 * `POST /mcp`: the registry as an MCP server, over streamable HTTP.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function mcpRoute(context: McpContext): RegistryRoute<z.ZodUnknown> {
  return doorRoute({ name: 'mcp', path: '/mcp' }, 'all', context);
}

/** `POST /mcp/read-only`: the same, but only tools that a trusted server declares read-only are called. */
export function readOnlyMcpRoute(context: McpContext): RegistryRoute<z.ZodUnknown> {
  return doorRoute({ name: 'mcp_read_only', path: '/mcp/read-only' }, 'reads', context);
}

function doorRoute(
  place: { readonly name: string; readonly path: string },
  access: DoorAccess,
  { frontDoors, slowReaders, ending }: McpContext,
): RegistryRoute<z.ZodUnknown> {
  return {
    ...place,
    right: 'read',
    body: z.unknown(),
    async handle({ body, caller, exchange, release, signal }) {
      const { incoming, span } = exchange;
      checkOrigin(incoming.headers);
      const door = await openDoor(frontDoors, caller, access);
      const kind = kindOf(body);
      exchange.facts = { ...exchange.facts, method: kind.method };
      span.set({ 'mcp.method.name': kind.method });
      // A server may be slow, and other requests must not wait for it. Calls have a separate limit.
      if (kind.isLong) release();
      const response = await door.handle({
        headers: passedOn(incoming.headers),
        body,
        signal: kind.method === 'subscriptions/listen' ? AbortSignal.any([signal, ending]) : signal,
      });
      if (signal.aborted) throw new ClientGone();
      const reader = response.body?.getReader();
      // What is short is admitted until it is done, and not only until its stream begins.
      const first = kind.isLong ? undefined : await reader?.read();
      return toRouteResponse(response, reader, first, slowReaders);
    },
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = Awaited<ReturnType<Reader['read']>>;

async function openDoor(frontDoors: FrontDoors, caller: Caller, access: DoorAccess) {
  try {
    return await frontDoors.of(caller, access);
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    // The line that installs the vendor's package.
    throw new RegistryError('not_found', (error as Error).message);
  }
}

function kindOf(body: unknown): { readonly method: string; readonly isLong: boolean } {
  const { success, data } = Message.safeParse(body);
  if (!success) return { method: 'other', isLong: false };
  const isOther = !['search_tools', 'describe_tools'].includes(data.params?.name ?? '');
  const isLong = LONG_METHODS.has(data.method) || (data.method === 'tools/call' && isOther);
  return { method: KNOWN_METHODS.has(data.method) ? data.method : 'other', isLong };
}

/** Methods that wait for a server. */
const LONG_METHODS = new Set([
  'completion/complete',
  'prompts/get',
  'resources/read',
  'subscriptions/listen',
]);

/** Methods that logs and traces name: what clients write goes into neither. */
const KNOWN_METHODS = new Set([
  'completion/complete',
  'initialize',
  'notifications/cancelled',
  'notifications/initialized',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
]);

/**
 * A page in a browser names where it is from. Only pages of this machine, and of the address that is asked, may ask.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#security-warning
 */
function checkOrigin({ origin, host }: IncomingHttpHeaders): void {
  if (origin === undefined) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isOwn = url !== undefined && (url.host === host || LOOPBACK.test(url.hostname));
  if (!isOwn) throw new RegistryError('forbidden', 'Requests from pages of other sites are refused.');
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function passedOn(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && PASSED_ON.test(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

function toRouteResponse(
  { status, headers }: Response,
  reader: Reader | undefined,
  first: Chunk | undefined,
  slowReaders: SlowReaders,
): RouteResponse | RouteStream {
  const written = Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name)));
  if (reader === undefined) return { status, headers: written, body: '' };
  return { status, headers: written, stream: (outgoing) => void pump(reader, first, outgoing, slowReaders) };
}

/** Headers that the HTTP server sets itself. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

async function pump(
  reader: Reader,
  first: Chunk | undefined,
  outgoing: ServerResponse,
  slowReaders: SlowReaders,
): Promise<void> {
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  try {
    for (let chunk = first ?? (await reader.read()); !chunk.done; chunk = await reader.read()) {
      if (outgoing.writableLength > MAX_WAITING_BYTES) slowReaders.cutOff(outgoing);
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk.value)) slowReaders.note(outgoing);
    }
    outgoing.end();
  } catch {
    // The stream broke in the middle: its client must not take it for whole.
    outgoing.destroy();
  }
}
