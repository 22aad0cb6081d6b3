import { isJsonObject } from '@winnow/registry';
import type { FrontDoor } from '../front-door.ts';
import {
  createProtocolServer,
  loadServerPackage,
  type ProtocolIdentity,
  RunningCalls,
} from './create-protocol-server.ts';
import { holdArguments, releaseResponse } from './kept-messages.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

export interface HttpDoorOptions {
  readonly door: FrontDoor;
  readonly identity: ProtocolIdentity;
  /** Returns a text that cannot be guessed. */
  readonly makeId: () => string;
  /** Most streams of notifications at once. */
  readonly maxSubscriptions: number;
  /** Receives internal errors, which clients never see. Must not throw. */
  readonly onDefect: (error: unknown) => void;
}

/** A request, its body read and parsed. */
interface DoorRequest {
  /** Headers of the `POST`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** A front door over streamable HTTP. */
export interface HttpDoor {
  /** Never rejects. The body of a response may be a stream that lasts as long as the client stays. */
  handle(request: DoorRequest): Promise<Response>;
  /** Streams of notifications that are open. */
  readonly subscriptions: number;
  /** Notifies subscribers that the list of tools has changed. */
  notifyListChanged(): void;
  /** Resources that clients are subscribed to. */
  readonly subscribedResources: number;
  /** Ends streams and calls. */
  close(): Promise<void>;
}

/** The header by which clients before 2026-07-28 name their session. */
const SESSION_HEADER = 'mcp-session-id';

/** Most resources that the clients of one caller are subscribed to. */
const MAX_RESOURCES = 256;

/** A placeholder: the caller was authorized before. */
const ADDRESS = 'http://localhost/mcp';

/**
 * Serves both eras of the protocol, 2026-07-28 and before, request by request and without sessions. Rejects if
 * the vendor's package is not installed, with the command that installs it.
 *
 * Clients of the older era still get a session id, but only as a name by which a later request can cancel a
 * call. It has no state, so any instance serves any session.
 */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { door, identity, makeId, maxSubscriptions, onDefect } = options;
  const library = await loadServerPackage();
  const calls = new RunningCalls();
  const bus = new library.InMemoryServerEventBus();
  const { offers } = door;
  const resources = new ResourceSubscriptions({
    ...{ offers, onDefect, limit: MAX_RESOURCES },
    onUpdated: (uri) => handler.notify.resourceUpdated(uri),
  });
  const stopTelling = offers.onChange((changed) => {
    if (changed.prompts) handler.notify.promptsChanged();
    if (changed.resources) handler.notify.resourcesChanged();
  });
  const handler = library.createMcpHandler(
    ({ era, requestInfo }) => {
      const session = era === 'legacy' ? requestInfo?.headers.get(SESSION_HEADER) : undefined;
      return createProtocolServer({
        door,
        identity,
        library,
        onDefect,
        over: era === 'legacy' ? 'legacy_http' : 'modern_http',
        ...(session && { cancelling: { calls, session } }),
      });
    },
    { bus, maxSubscriptions },
  );
  let isClosed = false;
  return {
    get subscriptions() {
      return bus.listenerCount;
    },
    async handle({ headers, body, signal }) {
      const session = headers[SESSION_HEADER];
      if (session !== undefined) cancelIfAsked(body, session, calls);
      const request = new Request(ADDRESS, { method: 'POST', headers: { ...headers }, signal });
      const listening = await resources.listen(body);
      // Its token may have been withdrawn while a server was asked.
      if (isClosed) return closed();
      if (listening !== undefined) signal.addEventListener('abort', listening.end, { once: true });
      const given = await handler.fetch(request, { parsedBody: listening?.message ?? holdArguments(body) });
      const response = listening === undefined ? releaseResponse(given, isStream(given)) : given;
      if (signal.aborted || !isStream(response)) listening?.end();
      if (isInitialize(body) && response.ok) response.headers.set(SESSION_HEADER, makeId());
      return response;
    },
    get subscribedResources() {
      return resources.size;
    },
    notifyListChanged: () => handler.notify.toolsChanged(),
    close: async () => {
      isClosed = true;
      stopTelling();
      resources.close();
      await handler.close();
    },
  };
}

function closed(): Response {
  const error = { code: -32_000, message: 'The connection is closed.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 503 });
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('text/event-stream') ?? false;
}

function isInitialize(body: unknown): boolean {
  return isJsonObject(body) && body.method === 'initialize';
}

function cancelIfAsked(body: unknown, session: string, calls: RunningCalls): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isJsonObject(message) || message.method !== 'notifications/cancelled') continue;
    const id = isJsonObject(message.params) ? message.params.requestId : undefined;
    if (typeof id === 'string' || typeof id === 'number') calls.cancel(session, id);
  }
}
