import { isJsonObject, type JsonObject, type Registry } from '@winnow/registry';
import type { CallPlaces } from '@winnow/service';
import { CallProblem } from '../../servers/failures.ts';
import type { McpServers, OfferRequest } from '../../servers/mcp-servers.ts';
import type { OfferKind } from '../../servers/offers.ts';
import type { CallOutcome, CallRecord } from '../call-outcome.ts';
import type { CallContext, CallEnd } from '../call-tool.ts';
import type { Dispatched } from '../dispatch.ts';
import type { RequestStates } from '../request-states.ts';
import { listOffers, type OfferPage } from './list-offers.ts';
import { clientUri, type DirectoryServer, type NamedOffer } from './offer-directory.ts';
import { offersAmong, type VisibleOffers } from './shared-offers.ts';

/** Parts of an {@link OfferDoor}. */
export interface OfferDoorParts {
  /** As the client may see it. */
  readonly registry: Pick<Registry, 'sees'>;
  readonly servers: McpServers;
  readonly states: RequestStates;
  readonly caller: string;
  /** Whether only servers whose annotations are trusted are relayed. */
  readonly readsOnly: boolean;
  readonly slots: CallPlaces;
  readonly now: () => number;
  readonly ready: Promise<void> | undefined;
  readonly onCall: ((record: CallRecord) => void) | undefined;
}

/** The object of a completion, as a client names it: a prompt by name, or a template by its URI. */
export interface CompletionRequest {
  readonly ref: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Changes of lists that clients can be notified of. */
export interface ListChange {
  readonly prompts: boolean;
  readonly resources: boolean;
}

/**
 * The prompts, resources and templates of the servers that a client sees.
 *
 * Contract: as for `FrontDoor`. A client reaches only the namespaces that it sees, and on each server only
 * offers that may be relayed.
 */
export class OfferDoor {
  readonly #parts: OfferDoorParts;

  constructor(parts: OfferDoorParts) {
    this.#parts = parts;
  }

  /** Returns one page of a list; undefined for an invalid cursor. */
  async list(kind: OfferKind, cursor: string | undefined): Promise<OfferPage | undefined> {
    await this.#parts.ready;
    return listOffers(this.visible.directory.all, kind, cursor);
  }

  /** The offers in sight. */
  get visible(): VisibleOffers {
    const { servers } = this.#parts;
    return offersAmong(
      servers,
      servers.states().filter((state) => this.#sees(state)),
    );
  }

  /** The namespaces with offers in sight, and whether a trusted server has them. */
  get namespaces(): readonly Dispatched[] {
    const { all } = this.visible.directory;
    const servers = new Set(all.map(({ server }) => server));
    return [...servers].map(({ namespace, trustsAnnotations }) => ({
      namespace,
      isReadOnly: trustsAnnotations,
    }));
  }

  /** Whether a server's offers are relayed to this client. */
  #sees({ namespace, trustsAnnotations }: Pick<DirectoryServer, 'namespace' | 'trustsAnnotations'>): boolean {
    return this.#parts.registry.sees(namespace) && (!this.#parts.readsOnly || trustsAnnotations);
  }

  /** Returns the instructions of a server in sight. */
  instructionsOf(server: string): string | undefined {
    const { servers } = this.#parts;
    const state = servers.state(server);
    if (state === undefined || !this.#parts.registry.sees(state.namespace)) return undefined;
    const { definition } = servers.offersOf(server).find(({ kind }) => kind === 'instructions') ?? {};
    return typeof definition?.text === 'string' ? definition.text : undefined;
  }

  /** Calls the listener after changes that this client can see. Returns a function that stops it. */
  onChange(listener: (change: ListChange) => void): () => void {
    const { servers } = this.#parts;
    return servers.onOffersChanged(({ server, namespace, kinds }) => {
      const { trustsAnnotations = true } = servers.state(server) ?? {};
      if (!this.#sees({ namespace, trustsAnnotations })) return;
      const prompts = kinds.has('prompt');
      const resources = kinds.has('resource') || kinds.has('template');
      if (prompts || resources) listener({ prompts, resources });
    });
  }

  async getPrompt(name: string, given: JsonObject | undefined, context: CallContext): Promise<CallEnd> {
    await this.#parts.ready;
    const named = this.visible.directory.find('prompt', name);
    if (named === undefined) return unknown(`Unknown prompt: ${quoted(name)}.`);
    const params = { name: named.offer.key, ...(given !== undefined && { arguments: given }) };
    return this.#send(named.server, { offer: named.offer, method: 'prompts/get', params }, context);
  }

  async readResource(asked: string, context: CallContext): Promise<CallEnd> {
    await this.#parts.ready;
    const resolved = this.visible.directory.resolve(asked);
    if (resolved.kind === 'ambiguous')
      return unknown(`Several servers have this resource: ${resolved.names.join(', ')}.`, { uri: asked });
    if (resolved.kind === 'unknown') return unknown(`Resource not found: ${quoted(asked)}`, { uri: asked });
    const { server, uri } = resolved;
    const offer = { kind: 'resource', key: uri } as const;
    const end = await this.#send(server, { offer, method: 'resources/read', params: { uri } }, context);
    return end.kind === 'result' ? { ...end, result: withClientUris(end.result, server, asked) } : end;
  }

  async complete({ ref, params }: CompletionRequest, context: CallContext): Promise<CallEnd> {
    await this.#parts.ready;
    const named = this.#completed(ref);
    if (named === undefined)
      return unknown('The completion is for no prompt and no template that is listed.');
    const { key } = named.offer;
    const own = named.offer.kind === 'prompt' ? { ...ref, name: key } : { ...ref, uri: key };
    const request = {
      offer: named.offer,
      method: 'completion/complete',
      params: { ...params, ref: own },
    } as const;
    return this.#send(named.server, request, context);
  }

  /** Subscribes to a resource until the signal aborts. Resolves with a problem where that fails. */
  async subscribe(
    asked: string,
    options: { readonly session?: string; readonly signal: AbortSignal; readonly onUpdated: () => void },
  ): Promise<string | undefined> {
    const { servers, caller, ready } = this.#parts;
    await ready;
    const resolved = this.visible.directory.resolve(asked);
    if (resolved.kind !== 'found') return `Resource not found: ${quoted(asked)}`;
    const { session, signal, onUpdated } = options;
    const holder = { caller, ...(session !== undefined && { session }) };
    try {
      await servers.subscribe(resolved.server.name, resolved.uri, { holder, signal, onUpdated });
      return undefined;
    } catch (error) {
      if (error instanceof CallProblem) return error.message;
      throw error;
    }
  }

  #completed({ type, name, uri }: CompletionRequest['ref']): NamedOffer | undefined {
    const { directory } = this.visible;
    if (type === 'ref/prompt' && typeof name === 'string') return directory.find('prompt', name);
    if (type === 'ref/resource' && typeof uri === 'string') return directory.find('template', uri);
    return undefined;
  }

  async #send(server: DirectoryServer, request: OfferRequest, context: CallContext): Promise<CallEnd> {
    const { slots, now, onCall } = this.#parts;
    const startedAt = now();
    const end = await slots.run(() => this.#relay(server.name, request, context), OVERLOADED);
    onCall?.({
      via: request.method,
      id: undefined,
      server: server.name,
      outcome: end.outcome,
      durationMs: now() - startedAt,
      resultChars: end.kind === 'result' ? JSON.stringify(end.result).length : 0,
    });
    return end;
  }

  async #relay(server: string, request: OfferRequest, context: CallContext): Promise<CallEnd> {
    const { servers, states, caller } = this.#parts;
    const { requestState, session, ...rest } = context;
    const id = `${request.method} ${request.offer.key}`;
    const resumed = requestState === undefined ? undefined : states.open(requestState);
    if (requestState !== undefined && (resumed?.id !== id || resumed.server !== server))
      return failure('invalid_request_state', INVALID_PARAMS, 'Invalid or expired requestState');
    try {
      const result = await servers.relay(server, request, {
        ...rest,
        holder: { caller, ...(session !== undefined && { session }) },
        ...(resumed?.state !== undefined && { requestState: resumed.state }),
      });
      if (result.resultType !== 'input_required') return { kind: 'result', outcome: 'ok', result, server };
      const { requestState: own } = result;
      const sealed = states.seal({ server, id, state: typeof own === 'string' ? own : undefined });
      return {
        kind: 'result',
        outcome: 'input_required',
        result: { ...result, requestState: sealed },
        server,
      };
    } catch (error) {
      if (error instanceof CallProblem) return { ...toFailure(error), server };
      throw error;
    }
  }
}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

const OVERLOADED = failure(
  'overloaded',
  INTERNAL_ERROR,
  'Too many calls are running. Try again in a moment.',
);

function toFailure({ code, message, rpcError }: CallProblem): CallEnd {
  if (code === 'refused' && rpcError !== undefined)
    return { kind: 'error', outcome: 'refused', error: rpcError };
  if (code === 'unknown_server') return failure('server_unreachable', INTERNAL_ERROR, message);
  return failure(code, code === 'not_allowed' ? INVALID_PARAMS : INTERNAL_ERROR, message);
}

function unknown(message: string, data?: unknown): CallEnd {
  return failure('unknown_tool', INVALID_PARAMS, message, data);
}

function failure(outcome: CallOutcome, code: number, message: string, data?: unknown): CallEnd {
  return { kind: 'error', outcome, error: { code, message, ...(data !== undefined && { data }) } };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

/** Names the contents of a resource as the client has asked for it. */
function withClientUris(
  result: Readonly<Record<string, unknown>>,
  server: DirectoryServer,
  asked: string,
): Readonly<Record<string, unknown>> {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  const named = contents.map((content: unknown) =>
    isJsonObject(content) && typeof content.uri === 'string'
      ? { ...content, uri: clientUri(server, asked, content.uri) }
      : content,
  );
  return { ...result, contents: named };
}
