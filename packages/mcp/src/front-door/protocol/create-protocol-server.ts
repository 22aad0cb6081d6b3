import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject } from '@winnow/registry';
import type { CallResult, Progress } from '../../servers/mcp-servers.ts';
import type { OfferKind } from '../../servers/offers.ts';
import type { CallContext, CallEnd } from '../call-tool.ts';
import type { FrontDoor } from '../front-door.ts';
import { explainNotRelayed } from '../not-relayed.ts';
import type { loadServerPackage } from './load-server-package.ts';
import type { RunningCalls } from './running-calls.ts';
import { withUntouchedResults } from './untouched-results.ts';

type ServerPackage = Awaited<ReturnType<typeof loadServerPackage>>;

/** The name and version that a protocol server reports. */
export interface ProtocolIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ProtocolServerParts {
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
      door.callTool({ name: params.name, arguments: toObject(params.arguments), context: call }),
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
    throw new library.ProtocolError(code, message, data);
  }
  const result = end.result as CallToolResult & CallResult;
  if (result.resultType === 'input_required' || isJsonObject(result.structuredContent ?? {})) return result;
  // Before 2026-07-28, structured content is an object; the vendor's package converts other values.
  return server.projectCallToolResult(result, undefined);
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
