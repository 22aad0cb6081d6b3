import {
  createMemoryStore,
  createRegistry,
  type McpTool,
  makeEpoch,
  type Registry,
  type RegistryStore,
} from '@winnow/registry';
import { ServerProblem } from '../src/servers/failures.ts';
import type { CallResult } from '../src/servers/mcp-servers.ts';
import { OFFER_LISTS, type OfferList } from '../src/servers/read-list.ts';
import type {
  ConnectionEvents,
  Connector,
  SentRequest,
  ServerConnection,
  ServersObserver,
} from '../src/servers/server-connection.ts';
import { ENTRY_DEFAULTS, type Isolation, type ServerEntry } from '../src/servers/server-entry.ts';
import { openServers, type ServerAdministration } from '../src/servers/server-set.ts';

/** A clock that stands until it is told to go on, with all that waits for it. */
export class FakeClock {
  now = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly call: () => void }>();

  readonly after = (ms: number, call: () => void): (() => void) => {
    const one = { at: this.now + ms, call };
    this.#waiting.add(one);
    return () => this.#waiting.delete(one);
  };

  /** Time until the next event; undefined when there is none. */
  get nextIn(): number | undefined {
    const times = [...this.#waiting].map(({ at }) => at - this.now);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Lets so much time pass, and everything happen that was due in it, in order. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.now = Math.max(this.now, next.at);
      next.call();
      await settle();
    }
    this.now = end;
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

/** A call as a server gets it. */
export interface SentCall extends Omit<SentRequest, 'method' | 'params'> {
  readonly tool: unknown;
  readonly args: unknown;
}

/** A server as a test wants it to be. May be changed at any time. */
export class FakeServer {
  tools: readonly McpTool[] = [{ name: 'find', inputSchema: { type: 'object' } }];
  ttlMs: number | undefined = undefined;
  hasTools = true;
  features = { prompts: false, resources: false, subscriptions: false, completions: false };
  instructions: string | undefined = undefined;
  /** Lists of prompts, resources and templates; a missing one is refused. */
  offers: Partial<Record<OfferList['method'], readonly Record<string, unknown>[] | 'hangs'>> = {};
  /** Requests that are not calls of tools. */
  requests: SentRequest[] = [];
  /** Tells of a changed resource, by URI. */
  readonly subscribed = new Map<string, () => void>();
  /** Planned outcome of connecting and listing where they fail: an error, or silence. */
  connecting: 'works' | 'fails' | 'hangs' = 'works';
  listing: 'works' | 'fails' | 'hangs' = 'works';
  answer: (call: SentCall) => Promise<CallResult> = async ({ args }) => ({ content: [], args });
  connections = 0;
  open = 0;
  lists = 0;
  listens = 0;
  calls: SentCall[] = [];
  events: ConnectionEvents | undefined;
  /** Breaks the newest connection. */
  lose: (reason: string) => void = () => {};

  async connect(events: ConnectionEvents, signal: AbortSignal): Promise<ServerConnection> {
    this.connections++;
    if (this.connecting === 'hangs') {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    if (this.connecting === 'fails') throw new ServerProblem('unreachable', 'No connection (ECONNREFUSED).');
    signal.throwIfAborted();
    this.events = events;
    this.open++;
    let isOpen = true;
    const lost = Promise.withResolvers<void>();
    this.lose = (reason) => {
      if (isOpen) this.open--;
      isOpen = false;
      lost.resolve();
      events.onLost(reason);
    };
    return {
      era: 'modern',
      protocolVersion: '2026-07-28',
      hasTools: this.hasTools,
      features: this.features,
      instructions: this.instructions,
      listPage: async (method) => {
        if (method !== 'tools/list') return this.#offersOf(method);
        this.lists++;
        if (this.listing === 'hangs') await new Promise(() => {});
        if (this.listing === 'fails') throw new ServerProblem('bad_answer', 'It answered with HTTP 404.');
        return { tools: this.tools, ...(this.ttlMs !== undefined && { ttlMs: this.ttlMs }) };
      },
      request: async ({ method, params, ...rest }) => {
        if (method !== 'tools/call') {
          this.requests.push({ method, params, ...rest });
          return { method, params };
        }
        const call = { ...rest, tool: params.name, args: params.arguments };
        this.calls.push(call);
        return this.answer(call);
      },
      subscribe: async (uri, onUpdated) => {
        this.subscribed.set(uri, onUpdated);
        const ended = Promise.withResolvers<void>();
        const stop = async () => {
          this.subscribed.delete(uri);
          ended.resolve();
        };
        return { closed: Promise.race([lost.promise, ended.promise]), stop };
      },
      listen: () => void this.listens++,
      close: async () => {
        if (isOpen) this.open--;
        isOpen = false;
      },
    };
  }

  async #offersOf(method: OfferList['method']): Promise<unknown> {
    const entries = this.offers[method];
    if (entries === 'hangs') await new Promise(() => {});
    if (entries === undefined) throw new ServerProblem('refused', 'Method not found');
    const { member } = OFFER_LISTS.find((list) => list.method === method)!;
    return { [member]: entries };
  }
}

export function fakeEntry(name: string, parts: Partial<ServerEntry> = {}): ServerEntry {
  const { tenant, refresh, timeouts, dropAfterMs, maxProcesses } = ENTRY_DEFAULTS;
  return {
    ...{ name, tenant, refresh, timeouts, dropAfterMs },
    transport: { type: 'http', url: 'http://h.test/mcp', headers: {}, auth: undefined, deniesPrivate: false },
    ...{
      namespace: name,
      prefix: undefined,
      sharedWith: [],
      isolation: undefined,
      maxProcesses,
      tags: [],
      include: undefined,
      exclude: [],
    },
    ...{ isEnabled: true, trustsAnnotations: false, isPinned: false },
    ...parts,
  };
}

export interface FakeWorld {
  readonly clock: FakeClock;
  readonly registry: Registry;
  readonly servers: ServerAdministration;
  readonly told: { readonly kind: keyof ServersObserver; readonly about: unknown }[];
}

export function memoryStore(): RegistryStore {
  let count = 0;
  return createMemoryStore({
    makeEpoch: () => makeEpoch(() => (++count).toString(16).repeat(64).slice(0, 64)),
  });
}

/** Servers that are kept on a fake clock; nothing happens until it goes on. */
export async function openFakeWorld(
  fakes: Readonly<Record<string, FakeServer>>,
  entries: readonly ServerEntry[] = Object.keys(fakes).map((name) => fakeEntry(name)),
  {
    store = memoryStore(),
    clock = new FakeClock(),
    random = () => 0,
    defaultIsolation = () => 'none',
  }: {
    store?: RegistryStore;
    clock?: FakeClock;
    random?: () => number;
    defaultIsolation?: () => Isolation;
  } = {},
): Promise<FakeWorld> {
  const told: FakeWorld['told'] = [];
  let kept: ServerAdministration | undefined;
  const registry = await createRegistry({
    clock: { now: () => clock.now, wallClock: () => clock.now },
    randomId: () => 'ab'.repeat(32),
    staleSince: (server) => kept?.staleSince(server),
    serverTerms: (server) => kept?.termsOf(server),
    store,
  });
  const connector: Connector = {
    connect: (entry, events, signal) => fakes[entry.name]!.connect(events, signal),
  };
  const servers = await openServers({
    entries,
    registry,
    connector,
    now: () => clock.now,
    wallClock: () => clock.now,
    random,
    defaultIsolation,
    after: clock.after,
    pause: async () => {},
    observer: {
      onRefresh: (about) => told.push({ kind: 'onRefresh', about }),
      onPending: (server, tools) => told.push({ kind: 'onPending', about: { server, tools } }),
      onLeftOut: (server, tools) => told.push({ kind: 'onLeftOut', about: { server, tools } }),
      onRefused: (server, tools) => told.push({ kind: 'onRefused', about: { server, tools } }),
      onLost: (server, reason) => told.push({ kind: 'onLost', about: { server, reason } }),
    },
    readSource: (name, source) => fakeEntry(name, source as Partial<ServerEntry>),
    onNoteFailure: () => {},
  });
  kept = servers;
  return { clock, registry, servers, told };
}
