import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMeanings, type SharedMeanings } from '@winnow/embeddings';
import type { McpServers } from '@winnow/mcp';
import {
  createRegistry,
  preferKinds,
  type Registry,
  type RegistryOptions,
  type RegistryStore,
} from '@winnow/registry';
import {
  Admission,
  BodyMemory,
  createLog,
  Drain,
  describeError,
  type Log,
  type RunningService,
  readServerTls,
  serve,
} from '@winnow/service';
import { SILENT_TRACER, type Tracer } from '@winnow/tracing';
import { createApp } from './app.ts';
import type { Settings } from './config.ts';
import { Callers } from './http/callers.ts';
import { FrontDoors } from './mcp/front-doors.ts';
import { SlowReaders } from './mcp/slow-readers.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openStore } from './open-store.ts';
import { Registries } from './registries.ts';
import { TenantServers } from './servers/tenant-servers.ts';

/** What the service takes from the world around it. */
export interface RegistryEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** A new request id. */
  readonly makeId: () => string;
  /** 64 random hexadecimal digits that nobody can guess. */
  readonly randomId: () => string;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Log lines that could not be written so far; without it none are. */
  readonly lostLines?: () => number;
  /** Begins the spans of requests; without one there are none. */
  readonly tracer?: Tracer;
  /** A signal that aborts after so many milliseconds, as `AbortSignal.timeout`, which stands in when there is none. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** Calls again and again, until the function that it gives is called; a timer of Node's when it is missing. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
  /** Calls once, after so many milliseconds, unless the function that it gives is called before; a timer of Node's when it is missing. */
  readonly after?: (delayMs: number, call: () => void) => () => void;
  /** The MCP servers of a tenant, where calls of tools go; none when it is missing. */
  readonly serversOf?: (tenant: string) => McpServers;
  /** From 0 to 1; `Math.random` when it is missing. */
  readonly random?: () => number;
  /** Another store than the settings name. */
  readonly store?: RegistryStore;
  /** Answers searches before the built-in searcher. */
  readonly searcher?: RegistryOptions['searcher'];
  /** A file or folder from which the libraries of a local model are looked for. */
  readonly librariesFrom?: string;
}

/** A registry that listens. */
export interface RunningRegistry extends RunningService {
  /** Tools of all tenants. */
  readonly toolCount: () => number;
}

/** How often the log says that searches are degraded, at most, in milliseconds. */
const DEGRADED_LOG_MS = 60_000;

/** How often other instances' changes are asked for, beside what the database tells by itself, in milliseconds. */
const POLL_MS = 5_000;

/**
 * Starts the service: it listens at once, says that it is starting, and answers when everything that is stored is read. Rejects when it
 * cannot listen, when a certificate file is no good, or when the store cannot be opened; the message says what to do.
 */
export async function startRegistry(settings: Settings, effects: RegistryEffects): Promise<RunningRegistry> {
  const { deadline = AbortSignal.timeout } = effects;
  const tls = readServerTls(settings);
  const log = createLog({
    level: settings.logLevel,
    sink: effects.writeLog,
    wallClock: effects.wallClock,
  });
  const drain = new Drain();
  const ending = new AbortController();
  const callers = new Callers(settings.tokens);
  const registries = new Registries();
  const { frontDoors, servers, listener, metrics, meanings } = assemble({
    settings,
    effects,
    log,
    drain,
    callers,
    registries,
    ending,
  });
  let store: RegistryStore | undefined;
  let stopPolling = () => {};
  const service = await serve(settings, {
    listener,
    tls,
    drain,
    deadline,
    makeId: effects.makeId,
    onStopped: async () => {
      stopPolling();
      await frontDoors.close();
      await servers.close();
      await meanings?.close();
      await Promise.all(registries.all.map((registry) => registry.close()));
      await store?.close();
      log.flush();
    },
  });
  const close = () => {
    // Streams have no end of their own: their readers come back to another instance.
    ending.abort();
    return service.close();
  };
  try {
    store = effects.store ?? (await openStore(settings, effects.randomId));
    const byTenant = await openTenants(callers.tenants, store, {
      ...{ settings, effects, log, metrics, servers, meanings },
    });
    for (const [tenant, registry] of byTenant) await servers.open(tenant, registry);
    registries.open(byTenant);
    if (store.kind === 'postgres') stopPolling = poll(registries, effects, log);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: service.url,
    close,
    toolCount: () => totalOf(registries, ({ toolCount }) => toolCount),
  };
}

/** What the parts of the service are put together from. */
interface Assembly {
  readonly settings: Settings;
  readonly effects: RegistryEffects;
  readonly log: Log;
  readonly drain: Drain;
  readonly callers: Callers;
  readonly registries: Registries;
  readonly ending: AbortController;
}

function assemble({ settings, effects, log, drain, callers, registries, ending }: Assembly) {
  const admission = new Admission(settings.maxWaiting);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes);
  const followers = new Set<ServerResponse>();
  const metrics = createMetrics({
    tools: () => totalOf(registries, ({ toolCount }) => toolCount),
    indexBytes: () => totalOf(registries, ({ indexBytes }) => indexBytes),
    followers: () => followers.size,
    mcpServers: (status) => servers.count(status),
    mcpCalls: () => frontDoors.running,
    mcpSubscriptions: () => frontDoors.subscriptions,
    meanings: () => meanings,
    waiting: () => admission.waiting,
    heldBytes: () => bodyMemory.held,
    lostLines: effects.lostLines ?? (() => 0),
  });
  const meanings = openMeanings(
    settings,
    {
      ...{ setting: 'embedder.address', now: effects.now, log, describeError },
      ...{ deadline: effects.deadline, librariesFrom: effects.librariesFrom },
      countFailure: (reason) => metrics.countEmbedderFailure(reason),
    },
    callers.tenants.length,
  );
  const after = effects.after ?? afterDelay;
  const servers = new TenantServers({
    entries: settings.servers,
    log,
    metrics,
    now: effects.now,
    wallClock: effects.wallClock,
    random: effects.random ?? Math.random,
    after,
    pause: () => nextTurn(),
  });
  const frontDoors = new FrontDoors({
    registries,
    serversOf: effects.serversOf ?? ((tenant) => servers.of(tenant)),
    dispatch: settings.mcpDispatch,
    maxCalls: settings.mcpMaxCalls,
    maxSubscriptions: settings.maxFollowers,
    now: effects.now,
    wallClock: effects.wallClock,
    makeId: effects.makeId,
    after,
    onSearch: (page, durationMs) => metrics.countSearch({ ...page, isNoMatch: page.noMatch, durationMs }),
    onDefect: (error) => log.write('error', 'mcp_failed', describeError(error)),
    onCall: (caller, { via, id, ...record }) => {
      metrics.countMcpCall(record);
      log.write('info', 'mcp_call', { caller: caller.name, via, tool: id, ...record });
    },
  });
  const listener = createApp({
    frontDoors,
    slowReaders: new SlowReaders(settings.maxHeldBytes, (waitingBytes) => {
      metrics.countLostReader();
      log.write('warn', 'mcp_reader_lost', { waitingBytes });
    }),
    servers,
    registries,
    callers,
    admission,
    bodyMemory,
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    metrics,
    log,
    now: effects.now,
    makeId: effects.makeId,
    tracer: effects.tracer ?? SILENT_TRACER,
    ending: ending.signal,
    every: effects.every ?? everyInterval,
    followers,
    maxFollowers: settings.maxFollowers,
  });
  return { frontDoors, servers, listener, metrics, meanings };
}

/** What opening a tenant's registry needs. */
interface Opening {
  readonly settings: Settings;
  readonly effects: RegistryEffects;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly servers: TenantServers;
  readonly meanings: SharedMeanings | undefined;
}

async function openTenants(
  tenants: readonly string[],
  store: RegistryStore,
  { settings, effects, log, metrics, servers, meanings }: Opening,
): Promise<ReadonlyMap<string, Registry>> {
  const byTenant = new Map<string, Registry>();
  const tellDegraded = atMostEvery(DEGRADED_LOG_MS, effects.now);
  const tellUnavailable = atMostEvery(DEGRADED_LOG_MS, effects.now);
  for (const scope of tenants) {
    const registry = await createRegistry({
      store,
      scope,
      clock: effects,
      randomId: effects.randomId,
      backendPolicy: preferKinds(settings.backendOrder),
      limits: settings.maxTools === undefined ? {} : { tools: settings.maxTools },
      alwaysLoaded: settings.alwaysLoaded,
      staleSince: (server) => servers.staleSince(scope, server),
      pause: () => nextTurn(),
      ...(meanings && { meanings: meanings.open(await store.openScope(scope)) }),
      ...(effects.deadline && { deadline: effects.deadline }),
      ...(effects.searcher && { searcher: effects.searcher }),
      onListenerFailure: (error) => log.write('error', 'listener_failed', describeError(error)),
      onDegraded: ({ searcher, reason }, error) => {
        metrics.countDegraded(reason);
        tellDegraded(() =>
          log.write('warn', 'search_degraded', { searcher, reason, ...describeError(error) }),
        );
      },
      onUnavailable: (error) =>
        tellUnavailable(() => log.write('error', 'search_unavailable', describeError(error))),
    });
    registry.onChange((event) => {
      metrics.countEvent(event.index === 0);
    });
    byTenant.set(scope, registry);
  }
  return byTenant;
}

function poll(registries: Registries, { every = everyInterval, now }: RegistryEffects, log: Log): () => void {
  const tell = atMostEvery(DEGRADED_LOG_MS, now);
  return every(POLL_MS, () => {
    for (const registry of registries.all) {
      registry
        .catchUp()
        .catch((error) => tell(() => log.write('warn', 'store_unreadable', describeError(error))));
    }
  });
}

/** Makes calls at most once in so many milliseconds. */
function atMostEvery(intervalMs: number, now: () => number): (call: () => void) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (call) => {
    if (now() < next) return;
    next = now() + intervalMs;
    call();
  };
}

function totalOf(registries: Registries, read: (registry: Registry) => number): number {
  return registries.all.reduce((sum, registry) => sum + read(registry), 0);
}

function afterDelay(delayMs: number, call: () => void): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

function everyInterval(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs);
  return () => clearInterval(timer);
}
