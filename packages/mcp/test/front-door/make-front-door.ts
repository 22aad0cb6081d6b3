import {
  createRegistry,
  type JsonObject,
  type Registration,
  type Registry,
  type RegistryOptions,
} from '@winnow/registry';
import { Shares } from '@winnow/service';
import type { FrontDoorOptions } from '../../src/front-door/front-door.ts';
import {
  type CallOptions,
  type CallRecord,
  type CallResult,
  FrontDoor,
  type McpServers,
  type ServerState,
} from '../../src/index.ts';
import { CallProblem } from '../../src/servers/failures.ts';
import type {
  AdmitOptions,
  AnnotatedTool,
  OfferChange,
  OfferRequest,
  SubscribeOptions,
} from '../../src/servers/mcp-servers.ts';
import type { Offer } from '../../src/servers/read-list.ts';
import { type CallRefusal, explainRefusal, type RegisteredTool } from '../../src/servers/take-over-list.ts';

/** The moment at which test clocks stand: 22 November 2026, noon in UTC. */
export const NOW = Date.UTC(2026, 10, 22, 12);

/** One call that a server has got. */
export interface ReceivedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
  readonly options: CallOptions;
}

/** Servers that answer as they are told, and remember what they were asked. */
export class FakeServers implements McpServers {
  readonly received: ReceivedCall[] = [];
  readonly trusted = new Set<string>();
  readonly ownNames = new Map<string, string>();
  /** Results of calls. */
  answer: (call: ReceivedCall) => CallResult | Promise<CallResult> = ({ tool }) => ({
    content: [{ type: 'text', text: `${tool} is done` }],
  });

  /** Servers that have something to tell. */
  known: readonly Partial<ServerState>[] = [];

  states(): readonly ServerState[] {
    return this.known as readonly ServerState[];
  }

  state(server: string): ServerState | undefined {
    return this.states().find(({ name }) => name === server);
  }

  /** Offers in addition to tools, by name of server. Change them by `changeOffers`. */
  offers: Readonly<Record<string, readonly Offer[]>> = {};
  offersVersion = 0;
  /** Requests for offers. */
  readonly relayed: {
    readonly server: string;
    readonly request: OfferRequest;
    readonly options: CallOptions;
  }[] = [];
  readonly subscribed = new Map<string, SubscribeOptions>();
  readonly #listeners = new Set<(change: OfferChange) => void>();
  /** Results of requests for offers. */
  give: (request: OfferRequest) => CallResult | Promise<CallResult> = ({ params }) => ({ given: params });

  offersOf(server: string): readonly Offer[] {
    return this.offers[server] ?? [];
  }

  onOffersChanged(listener: (change: OfferChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts other offers in place of those of a server, and tells of it. */
  changeOffers(server: string, offers: readonly Offer[]): void {
    this.offers = { ...this.offers, [server]: offers };
    this.offersVersion++;
    const kinds = new Set(offers.map(({ kind }) => kind));
    const { namespace = server } = this.known.find(({ name }) => name === server) ?? {};
    for (const listener of this.#listeners) listener({ server, namespace, kinds });
  }

  async relay(server: string, request: OfferRequest, options: CallOptions = {}): Promise<CallResult> {
    this.relayed.push({ server, request, options });
    return this.give(request);
  }

  async subscribe(_: string, uri: string, options: SubscribeOptions): Promise<void> {
    if (uri.includes('refused')) throw new CallProblem('not_allowed', 'No subscriptions.');
    this.subscribed.set(uri, options);
  }

  async call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ) {
    const call = { server, tool, args, options };
    this.received.push(call);
    return this.answer(call);
  }

  /** Reasons not to call tools, by their names. */
  readonly refusals = new Map<string, CallRefusal>();
  /** Tools that a list, once it is read, does not declare read-only. */
  readonly deniedLater = new Set<string>();

  async admit(server: string, tool: RegisteredTool, { onlyReads = false }: AdmitOptions = {}) {
    if (server === 'unconfigured') throw new CallProblem('unknown_server', `There is no server "${server}".`);
    const refusal = this.refusals.get(tool.name);
    if (refusal !== undefined) throw new CallProblem('not_allowed', explainRefusal(refusal, server, tool));
    if (onlyReads && this.deniedLater.has(tool.name)) throw new CallProblem('not_read_only', '');
    return this.ownNames.get(tool.name) ?? tool.name;
  }

  refusalOf(_: string, { name }: RegisteredTool): CallRefusal | undefined {
    return this.refusals.get(name);
  }

  hintsOf(server: string, { annotations }: AnnotatedTool): JsonObject {
    return this.trusted.has(server) ? annotations : {};
  }

  async close(): Promise<void> {}
}

/** A tool on a server, in the server's namespace. */
export function onServer(server: string, name: string, tool: Record<string, unknown> = {}): Registration {
  return {
    namespace: server,
    tool: { name, description: `Handles ${name}.`, inputSchema: { type: 'object' }, ...tool },
    backend: { kind: 'mcp', server },
  };
}

/** A front door over some tools, with servers that answer as they are told. */
export async function makeFrontDoor(
  tools: readonly Registration[],
  {
    registry: registryOptions = {},
    view = (registry) => registry,
    ...options
  }: Partial<Omit<FrontDoorOptions, 'registry'>> & {
    readonly registry?: Partial<RegistryOptions>;
    readonly view?: (registry: Registry) => Registry;
  } = {},
) {
  let ids = 0;
  const registry = await createRegistry({
    clock: { now: () => 0, wallClock: () => NOW },
    randomId: () => (++ids).toString(16).padStart(8, '0').repeat(8),
    ...registryOptions,
  });
  if (tools.length > 0) {
    const registered = await registry.register(tools);
    if (!registered.ok) throw new Error(JSON.stringify(registered.problems));
  }
  const servers = new FakeServers();
  const records: CallRecord[] = [];
  const door = new FrontDoor({
    registry: view(registry),
    servers,
    slots: new Shares(8, []).of({ tenant: 'default' }),
    now: () => 0,
    wallClock: () => NOW,
    onCall: (record) => records.push(record),
    ...options,
  });
  return { door, registry, servers, records };
}

/** The text of a result. */
export function textOf(end: { readonly kind: string; readonly result?: CallResult }): string {
  if (end.result === undefined) throw new Error(`no result: ${JSON.stringify(end)}`);
  return (end.result.content as { text: string }[])[0]!.text;
}
