import { changeKept, type DoorOffer, parseJson, readableJson, writeKept } from '@winnow/core';
import { isJsonObject, type JsonObject, type Registry } from '@winnow/registry';
import type { CallPlaces } from '@winnow/service';
import { CallProblem } from '../../servers/failures.ts';
import type { CallResult, McpServers, OfferRequest } from '../../servers/mcp-servers.ts';
import type { OfferKind } from '../../servers/read-list.ts';
import { type CallOutcome, type CallRecord, displayLine, textResult } from '../call-outcome.ts';
import { type CallContext, type CallEnd, failed, type RequestStates, withState } from '../call-tool.ts';
import type { Dispatched } from '../dispatch.ts';
import {
  clientUri,
  type DirectoryServer,
  type NamedOffer,
  offersAmong,
  type VisibleOffers,
} from './offer-directory.ts';

/** Parts of an {@link OfferDoor}. */
interface OfferDoorParts {
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
interface CompletionRequest {
  readonly ref: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Changes of lists that clients can be notified of. */
interface ListChange {
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
      resultChars: end.kind === 'result' ? writeKept(end.result).length : 0,
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
        result: withState(result, sealed),
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
  const changes = contents.flatMap((content: unknown, index) => {
    if (!isJsonObject(content) || typeof content.uri !== 'string') return [];
    const uri = clientUri(server, asked, content.uri);
    return uri === content.uri
      ? []
      : [{ path: ['contents', String(index), 'uri'], value: JSON.stringify(uri) }];
  });
  return changes.length === 0 ? result : changeKept(result, changes);
}

/** An offer that a model calls like a tool. */
export type CallableOffer =
  | { readonly kind: 'prompt'; readonly named: NamedOffer }
  | { readonly kind: 'resource'; readonly uri: string; readonly server: NamedOffer['server'] };

/** Finds the prompt or the resource of a name; undefined for none. A URI of several servers is none. */
export function findOffer({ visible }: OfferDoor, name: string): CallableOffer | undefined {
  const named = visible.directory.find('prompt', name);
  if (named !== undefined) return { kind: 'prompt', named };
  const resource = URI.test(name) ? visible.directory.resolve(name) : undefined;
  return resource?.kind === 'found' ? { kind: 'resource', uri: name, server: resource.server } : undefined;
}

/** The beginning of a URI. An id of a tool looks like one as well; tools come first. */
const URI = /^[a-z][a-z0-9+.-]*:/i;

/** Gets a prompt, or reads a resource, and gives its content as the result of a tool. */
export async function callOffer(
  door: OfferDoor,
  offer: CallableOffer,
  given: JsonObject,
  context: CallContext,
): Promise<CallEnd> {
  const end =
    offer.kind === 'prompt'
      ? await door.getPrompt(offer.named.name, toTexts(given), context)
      : await door.readResource(offer.uri, context);
  if (end.kind === 'error') {
    const server = end.server === undefined ? {} : { server: end.server };
    return { ...failed(end.outcome === 'ok' ? 'refused' : end.outcome, end.error.message), ...server };
  }
  return end.outcome === 'input_required' ? end : { ...end, result: toToolResult(end.result) };
}

/** Arguments of prompts are texts. */
function toTexts(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function toToolResult({ messages, contents, description }: CallResult): CallResult {
  if (Array.isArray(contents))
    return { content: contents.map((resource: unknown) => ({ type: 'resource', resource })) };
  if (!Array.isArray(messages)) return textResult('The server gave nothing.');
  const said = typeof description === 'string' ? [{ type: 'text', text: description }] : [];
  return { content: [...said, ...messages.filter(isJsonObject).map(toContent)] };
}

function toContent({ role, content }: JsonObject): unknown {
  if (!isJsonObject(content) || content.type !== 'text') return content;
  return { ...content, text: `${String(role)}: ${String(content.text)}` };
}

/** A page of offers, as clients list them. */
interface OfferPage {
  readonly entries: readonly JsonObject[];
  readonly nextCursor?: string;
}

/** Most entries of a page, and most characters of their definitions; one entry may have more. */
const PAGE = { entries: 100, chars: 1_000_000 } as const;

const NAME_OF = { prompt: 'name', resource: 'uri', template: 'uriTemplate', instructions: 'text' } as const;

/** Returns the page after a cursor, in order of name; undefined when the cursor is none of these lists. */
function listOffers(
  offers: readonly NamedOffer[],
  kind: OfferKind,
  cursor: string | undefined,
): OfferPage | undefined {
  const after = cursor === undefined ? '' : readCursor(kind, cursor);
  if (after === undefined) return undefined;
  const rest = offers.filter(({ offer, name }) => offer.kind === kind && name > after);
  const entries: JsonObject[] = [];
  let chars = 0;
  for (const { name, offer } of rest) {
    const entry = { ...readableJson(offer.definition), [NAME_OF[kind]]: name } as JsonObject;
    chars += JSON.stringify(entry).length;
    if (entries.length === PAGE.entries || (entries.length > 0 && chars > PAGE.chars)) break;
    entries.push(entry);
  }
  const last = rest[entries.length - 1]?.name;
  return {
    entries,
    ...(entries.length < rest.length && last !== undefined && { nextCursor: writeCursor(kind, last) }),
  };
}

/** The place after a name keeps its meaning when offers come and go. */
function writeCursor(kind: OfferKind, name: string): string {
  return Buffer.from(JSON.stringify({ [kind]: name })).toString('base64url');
}

function readCursor(kind: OfferKind, cursor: string): string | undefined {
  const read = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  const name = isJsonObject(read) ? read[kind] : undefined;
  return typeof name === 'string' ? name : undefined;
}

const MAX_SUMMARY_CHARS = 240;
/** Arguments of a prompt that a search names. */
const MAX_ARGUMENTS = 12;

/** An offer as a search shows it. */
export function toDoorOffer({ offer, name }: NamedOffer, caller: string): DoorOffer {
  const { definition, kind } = offer;
  const said = [definition.description, definition.title, definition.name].find(
    (text) => typeof text === 'string' && text.trim() !== '' && text !== name,
  );
  return {
    // Instructions are not in the directory.
    kind: kind as DoorOffer['kind'],
    name: displayLine(name, 500),
    description: typeof said === 'string' ? displayLine(said, MAX_SUMMARY_CHARS) : '',
    caller,
    parameters: kind === 'prompt' ? argumentsOf(definition) : [],
  };
}

function argumentsOf({ arguments: parameters }: JsonObject): readonly string[] {
  return (Array.isArray(parameters) ? parameters : [])
    .filter(isJsonObject)
    .slice(0, MAX_ARGUMENTS)
    .map(({ name, required }) => `${displayLine(String(name), 64)}${required === true ? '' : '?'}`);
}

/** The definition of a prompt, a resource or a template by its name, or the instructions of a server; undefined for another name. */
export function describeOffer(door: OfferDoor, name: string): JsonObject | undefined {
  const { directory } = door.visible;
  const kinds = ['prompt', 'resource', 'template'] as const;
  const named = kinds.map((kind) => directory.find(kind, name)).find((one) => one !== undefined);
  if (named !== undefined) {
    const { name: _, uri: __, uriTemplate: ___, _meta, icons, ...definition } = named.offer.definition;
    return { name, kind: named.offer.kind, ...readableJson(definition) } as JsonObject;
  }
  const text = door.instructionsOf(name);
  return text === undefined ? undefined : { name, kind: 'instructions of the server, not of the user', text };
}
