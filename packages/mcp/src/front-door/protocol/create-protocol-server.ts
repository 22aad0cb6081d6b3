import type {
  CallToolResult,
  JSONRPCRequest,
  Result,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { changeKept, keptText } from '@winnow/core';
import { isJsonObject, type McpTool, type Registry } from '@winnow/registry';
import type { CallResult, Progress } from '../../servers/mcp-servers.ts';
import type { OfferKind } from '../../servers/read-list.ts';
import { explainNotRelayed } from '../call-outcome.ts';
import type { CallContext, CallEnd } from '../call-tool.ts';
import type { FrontDoor } from '../front-door.ts';
import { heldArguments, holdResult } from './kept-messages.ts';

type ServerPackage = Awaited<ReturnType<typeof loadServerPackage>>;

/** The name and version that a protocol server reports. */
export interface ProtocolIdentity {
  readonly name: string;
  readonly version: string;
}

interface ProtocolServerParts {
  readonly door: FrontDoor;
  readonly identity: ProtocolIdentity;
  readonly library: ServerPackage;
  /** Receives internal errors, which clients never see. */
  readonly onDefect: (error: unknown) => void;
  /**
   * Calls that a later request may cancel, and the name of this client for them; missing if the connection
   * identifies the client.
   */
  readonly cancelling?: { readonly calls: RunningCalls; readonly session: string };
  /**
   * The client's transport and era: before 2026-07-28, a client over HTTP receives changes on a stream of its
   * session, which is not supported.
   */
  readonly over: 'stdio' | 'legacy_http' | 'modern_http';
  /** Subscribes by a separate request, and unsubscribes; missing if a client subscribes by listening. */
  readonly subscriptions?: {
    /** Resolves with a problem where that fails. */
    add(uri: string): Promise<string | undefined>;
    remove(uri: string): void;
  };
}

/** Time that a client may cache lists, in milliseconds. */
const LIST_TTL_MS = 300_000;

/** Instructions that a server gives; most agents add them to their system prompt. */
export const DOOR_INSTRUCTIONS =
  'Many more tools exist than are listed. When a task needs something that no listed tool does, find one with search_tools, then call it with the tool that the search names. describe_tools gives full schemas.';

/** Serves a front door to one client: one connection over stdio, or one request over HTTP. */
export function createProtocolServer(parts: ProtocolServerParts): Server {
  const { door, identity, library, over, subscriptions } = parts;
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
  const PassingServer = withUntouchedResults(library.Server);
  const server = new PassingServer(
    { ...identity, title: 'Winnow' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, ...(over !== 'legacy_http' && { subscribe: true }) },
        completions: {},
      },
      instructions: DOOR_INSTRUCTIONS,
      cacheHints: {
        ...{ 'tools/list': hint, 'prompts/list': hint, 'resources/list': hint },
        ...{ 'resources/templates/list': hint, 'server/discover': hint },
      },
    },
  );
  const { offers } = door;
  const answer = (context: ServerContext, call: (context: CallContext) => Promise<CallEnd>) =>
    guarded(parts, () => answerCall(server, parts, context, call)) as never;
  const list = async (
    kind: OfferKind,
    member: string,
    params: { readonly cursor?: string | undefined } | undefined,
  ) =>
    guarded(parts, async () => {
      const page = await offers.list(kind, params?.cursor);
      if (page === undefined) throw invalidParams(library, 'The cursor does not belong to this list.');
      const { entries, nextCursor } = page;
      return { [member]: entries, ...(nextCursor !== undefined && { nextCursor }) } as never;
    });
  server.setRequestHandler('tools/list', () =>
    guarded(parts, async () => ({ tools: (await door.listTools()) as never })),
  );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answer(context, (call) =>
      door.callTool({ name: params.name, arguments: heldArguments(params.arguments), context: call }),
    ),
  );
  server.setRequestHandler('prompts/list', ({ params }) => list('prompt', 'prompts', params));
  server.setRequestHandler('resources/list', ({ params }) => list('resource', 'resources', params));
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    list('template', 'resourceTemplates', params),
  );
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answer(context, (call) => offers.getPrompt(params.name, toObject(params.arguments), call)),
  );
  server.setRequestHandler('resources/read', ({ params }, context) =>
    answer(context, (call) => offers.readResource(params.uri, call)),
  );
  server.setRequestHandler('completion/complete', ({ params }, context) => {
    const { ref, argument, context: known } = params;
    const rest = { argument, ...(known !== undefined && { context: known }) };
    return answer(context, (call) => offers.complete({ ref: { ...ref }, params: rest }, call));
  });
  if (subscriptions !== undefined) {
    server.setRequestHandler('resources/subscribe', ({ params }) =>
      guarded(parts, async () => {
        const problem = await subscriptions.add(params.uri);
        if (problem !== undefined) throw invalidParams(library, problem);
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscriptions.remove(params.uri);
      return {};
    });
  }
  // The newer era has none of the explained methods, and a separate status for unknown ones.
  if (over !== 'modern_http') {
    server.fallbackRequestHandler = async ({ method }) => {
      throw new library.ProtocolError(library.ProtocolErrorCode.MethodNotFound, explainNotRelayed(method));
    };
  }
  return server;
}

function invalidParams(library: ServerPackage, message: string) {
  return new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, message);
}

function toObject(value: unknown) {
  return isJsonObject(value) ? value : undefined;
}

/** Replaces unknown errors, whose messages the vendor's package would show to the client. */
async function guarded<Result>(
  { library, onDefect }: ProtocolServerParts,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof library.ProtocolError) throw error;
    onDefect(error);
    throw new library.ProtocolError(
      library.ProtocolErrorCode.InternalError,
      'The registry failed to answer.',
    );
  }
}

async function answerCall(
  server: Server,
  { library, cancelling }: ProtocolServerParts,
  context: ServerContext,
  run: (context: CallContext) => Promise<CallEnd>,
): Promise<CallToolResult> {
  const relay = new ProgressRelay(context);
  const call = cancelling?.calls.begin(cancelling.session, context.mcpReq.id, context.mcpReq.signal);
  try {
    const end = await run({
      ...toCallContext(server, context, relay, call?.signal ?? context.mcpReq.signal),
      ...(cancelling && { session: cancelling.session }),
    });
    await relay.settled();
    return toProtocolResult(end, server, library);
  } finally {
    call?.end();
  }
}

function toCallContext(
  server: Server,
  { mcpReq }: ServerContext,
  relay: ProgressRelay,
  signal: AbortSignal,
): CallContext {
  const state = mcpReq.requestState();
  return {
    signal,
    ...(relay.onProgress && { onProgress: relay.onProgress }),
    meta: toMeta(server, mcpReq),
    ...(mcpReq.inputResponses && { inputResponses: mcpReq.inputResponses }),
    ...(typeof state === 'string' && { requestState: state }),
  };
}

/** The protocol's key for the capabilities of a client, for servers that request input. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Returns the client's metadata without its progress token, which concerns only this connection. */
function toMeta(
  server: Server,
  { _meta, envelope }: ServerContext['mcpReq'],
): Readonly<Record<string, unknown>> {
  const { progressToken: _, ...meta } = _meta ?? {};
  // Of connections that began with `initialize`, the server remembers it.
  const declared = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CAPABILITIES];
  const capabilities = declared ?? server.getClientCapabilities();
  return { ...meta, ...(capabilities !== undefined && { [CAPABILITIES]: capabilities }) };
}

function toProtocolResult(end: CallEnd, server: Server, library: ServerPackage): CallToolResult {
  if (end.kind === 'error') {
    const { code, message, data } = end.error;
    throw new library.ProtocolError(code, message, isJsonObject(data) ? holdResult(data) : data);
  }
  const result = end.result as CallToolResult & CallResult;
  if (result.resultType === 'input_required' || isJsonObject(result.structuredContent ?? {})) return result;
  // Before 2026-07-28, structured content is an object; the vendor's package converts other values.
  const projected = server.projectCallToolResult(result, undefined);
  if (projected === result) return result;
  const text = keptText(result, 'structuredContent')!;
  const block = JSON.stringify({ type: 'text', text });
  const blocks = keptText(result, 'content')?.replace(/\]$/, '') ?? '[';
  const isWrapped = projected.structuredContent !== result.structuredContent;
  return changeKept(result, [
    ...(isWrapped ? [{ path: ['structuredContent'], value: `{"result":${text}}` }] : []),
    ...(projected.content === result.content
      ? []
      : [{ path: ['content'], value: `${blocks}${blocks.trim() === '[' ? '' : ','}${block}]` }]),
  ]) as never;
}

/** Tells the client of progress, in order, and before the result. */
class ProgressRelay {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  #sent: Promise<void> = Promise.resolve();

  constructor({ mcpReq }: ServerContext) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    this.onProgress = (progress) => {
      const notification = { method: 'notifications/progress', params: { ...progress, progressToken } };
      // The connection shows that a client has left.
      this.#sent = this.#sent.then(() => mcpReq.notify(notification)).catch(() => {});
    };
  }

  settled(): Promise<void> {
    return this.#sent;
  }
}

/**
 * Calls of clients whose requests come one by one, so that a later request can cancel an earlier one. Clients
 * are identified by a name that they received at the beginning; a client without a name can end its calls only
 * by disconnecting.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();

  /** Calls that can be taken back. */
  get size(): number {
    return this.#running.size;
  }

  /** A signal that aborts when the client takes the call back, or leaves. `end` must follow, once. */
  begin(
    session: string,
    id: string | number,
    left: AbortSignal,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    const key = keyOf(session, id);
    const controller = new AbortController();
    this.#running.set(key, controller);
    return {
      signal: AbortSignal.any([controller.signal, left]),
      end: () => {
        // Another one of the same id may have come since.
        if (this.#running.get(key) === controller) this.#running.delete(key);
      },
    };
  }

  /** Takes a call back; one that is over, or was never there, is none. */
  cancel(session: string, id: string | number): void {
    this.#running.get(keyOf(session, id))?.abort();
  }
}

function keyOf(session: string, id: string | number): string {
  return JSON.stringify([session, id]);
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
type ServerClass = new (...args: ConstructorParameters<typeof Server>) => Server;

/**
 * The vendor's server, changed to pass results of servers through unchanged. By itself, it refuses results with
 * unknown content, but that is for the client to judge, which would have got them without us. Results that ask
 * for input are still checked against the client's capabilities.
 *
 * `_wrapHandler` is where the package checks results; it is protected, so a test checks this for every update
 * of the package.
 */
function withUntouchedResults(Base: ServerClass): ServerClass {
  return class extends Base {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      const standIn = STAND_INS[method];
      if (standIn === undefined) return super._wrapHandler(method, handler);
      return async (request, context) => {
        let result: Result | undefined;
        const checked = super._wrapHandler(method, async (...call) => {
          const given = await handler(...call);
          if (given.resultType === 'input_required') return given;
          result = given;
          return standIn;
        });
        const seen = await checked(request, context);
        // What the package adds for its revision is added all the same, such as how long a result may be kept.
        return result === undefined ? seen : { ...seen, ...emptied(standIn), ...holdResult(result) };
      };
    }
  };
}

/** Valid results, by method. */
const STAND_INS: Readonly<Record<string, Result>> = {
  'tools/call': { content: [] },
  'prompts/get': { messages: [] },
  'resources/read': { contents: [] },
  'completion/complete': { completion: { values: [] } },
};

/** The members of a stand-in are none of the result. */
function emptied(standIn: Result): Result {
  return Object.fromEntries(Object.keys(standIn).map((key) => [key, undefined]));
}

/** Options of {@link watchList}. */
interface WatchListOptions {
  readonly registry: Pick<Registry, 'onChange'>;
  readonly listTools: () => Promise<readonly McpTool[]>;
  /** Whether any client is subscribed. */
  readonly isWanted: () => boolean;
  readonly onListChanged: () => void;
  /** Calls once, after so many milliseconds, unless the function that it gives is called before. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

/** Changes of content that come within this time of one another are looked at together, in milliseconds. */
const DEBOUNCE_MS = 500;

/**
 * Reports when a list of tools has changed; other changes of the registry's content are not reported. Returns a
 * function that ends the watch.
 */
export function watchList({
  registry,
  listTools,
  isWanted,
  onListChanged,
  after,
}: WatchListOptions): () => void {
  const read = async () => JSON.stringify(await listTools());
  let known = read();
  known.catch(() => {});
  let cancel: (() => void) | undefined;
  const look = async () => {
    cancel = undefined;
    if (!isWanted()) return;
    const before = known;
    known = read();
    if ((await before) !== (await known)) onListChanged();
  };
  const stop = registry.onChange(() => {
    cancel ??= after(DEBOUNCE_MS, () => void look().catch(() => {}));
  });
  return () => {
    stop();
    cancel?.();
  };
}

/**
 * The vendor's package for servers of the protocol. Loaded only here, and only if MCP clients are served: a
 * registry without them does not need it.
 */
export async function loadServerPackage() {
  return load(() => import('@modelcontextprotocol/server'));
}

/** The part of it that speaks over stdin and stdout. */
export async function loadStdioPackage() {
  return load(() => import('@modelcontextprotocol/server/stdio'));
}

/** Kept in step with `package.json` by a test. */
export const SERVER_PACKAGE = '@modelcontextprotocol/server@2.4.0';

async function load<Package>(importIt: () => Promise<Package>): Promise<Package> {
  try {
    return await importIt();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `MCP clients are served by a package that is not installed: npm install ${SERVER_PACKAGE}`;
    throw new Error(message, { cause: error });
  }
}
