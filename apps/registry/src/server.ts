import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMeanings } from '@winnow/embeddings';
import type { McpServers } from '@winnow/mcp';
import { createRegistry, type Registry, type RegistryOptions, type RegistryStore } from '@winnow/registry';
import {
  describeError,
  type Method,
  openService,
  overloaded,
  type Reloaded,
  type RunningService,
  type ServedService,
  type ServiceEffects,
  type ServiceParts,
  type ServicePath,
  Shares,
  serve,
  takeSettings,
} from '@winnow/service';
import type { z } from 'zod';
import { SETTINGS, type Settings, settingsProblems } from './config.ts';
import { Callers, DEFAULT_TENANT, type TokenSetting } from './http/callers.ts';
import { Registries, type RegistryRoute, type RouteContext, toRoute } from './http/registry-route.ts';
import { FrontDoors, SlowReaders } from './mcp/front-doors.ts';
import { createMetrics } from './metrics.ts';
import { openStore } from './open-store.ts';
import { type ChangesContext, changesRoute } from './routes/changes.ts';
import { callsRoute, expandRoute, namespacesRoute, statsRoute, usageRoute } from './routes/content.ts';
import { type McpContext, mcpRoute, readOnlyMcpRoute } from './routes/mcp.ts';
import { describeApi } from './routes/openapi.ts';
import { searchRoute, searchToolRoute, searchToolSearchRoute } from './routes/search.ts';
import {
  addServerRoute,
  approveRoute,
  changeServerRoute,
  refreshServerRoute,
  removeServerRoute,
  type ServersContext,
  serverRoute,
  serversRoute,
  serverToolsRoute,
} from './routes/servers.ts';
import { examplesRoute, listRoute, registerRoute, removeRoute, toolRoute } from './routes/tools.ts';
import { TenantServers } from './servers/tenant-servers.ts';
import { VERSION } from './version.ts';

/** Effects of the registry service. */
export interface RegistryEffects extends ServiceEffects {
  /** 64 random hexadecimal digits that cannot be guessed. */
  readonly randomId: () => string;
  /** The MCP servers of a tenant, where calls of tools go; its own by default. */
  readonly serversOf?: (tenant: string) => McpServers;
  /** Another store than the settings name. */
  readonly store?: RegistryStore;
  /** Responds to searches before the built-in searcher. */
  readonly searcher?: RegistryOptions['searcher'];
  /** A file or folder from which the libraries of a local model are looked for. */
  readonly librariesFrom?: string;
}

/** A registry that listens. */
export interface RunningRegistry extends RunningService {
  /** Tools of all tenants. */
  readonly toolCount: () => number;
  /**
   * Applies tokens of known tenants, shares of calls and followers, the largest body and certificates, from the
   * next request on. Streams of tokens that are no longer accepted end.
   */
  reload(read: Settings): Reloaded;
}

/** Shortest interval between log lines about degraded searches, in milliseconds. */
const DEGRADED_LOG_MS = 60_000;

/** Interval of reading other instances' changes, in addition to notifications of the database, in milliseconds. */
const POLL_MS = 5_000;

/**
 * Starts the service: it listens immediately, reports that it is starting, and answers requests once all stored
 * content is read. Rejects if it cannot listen, if a certificate file is invalid, or if the store cannot be
 * opened; the message says what to do.
 */
export async function startRegistry(settings: Settings, effects: RegistryEffects): Promise<RunningRegistry> {
  const ending = new AbortController();
  const callers = new Callers(settings.tokens);
  const service = openService(settings, effects, callers.sharing);
  const registries = new Registries();
  const context = assemble({ settings, effects, service, callers, registries, ending });
  const { frontDoors, servers, metrics, meanings } = context;
  let store: RegistryStore | undefined;
  let stopPolling = () => {};
  const running = await serve(settings, service, {
    paths: listPaths(context),
    metrics,
    // It sums over all tenants, so it needs a separate right.
    admitScraper: (incoming) => callers.identify(incoming, 'metrics'),
    readiness: () => {
      if (!registries.isOpen) throw overloaded('The registry is starting.');
      return { status: 'ready' };
    },
    description: describeApi(VERSION),
    onStopped: async () => {
      stopPolling();
      await frontDoors.close();
      await servers.close();
      await meanings?.close();
      await Promise.all(registries.all.map((registry) => registry.close()));
      await store?.close();
    },
  });
  const close = () => {
    // Streams do not end by themselves; their readers reconnect to another instance.
    ending.abort();
    return running.close();
  };
  try {
    store = effects.store ?? (await openStore(settings, effects.randomId));
    const byTenant = await openTenants(store, { settings, effects }, context);
    for (const [tenant, registry] of byTenant) await servers.open(tenant, registry);
    registries.open(byTenant);
    if (store.kind === 'postgres') stopPolling = poll(registries, service);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: running.url,
    close,
    toolCount: () => totalOf(registries, ({ toolCount }) => toolCount),
    reload: reloading(settings, context, running),
  };
}

/** Keys of data that is read from files named in settings. */
const FILE_KEYS = { tokens: 'tokens_file', servers: 'mcp.servers_file' };

function reloading(
  settings: Settings,
  context: ReturnType<typeof assemble>,
  served: ServedService,
): RunningRegistry['reload'] {
  const { callers, frontDoors, followers, calls, useParties, log } = context;
  const tenants = new Set(callers.tenants);
  const take = takeSettings(
    {
      ...{ settings, table: SETTINGS, keys: FILE_KEYS, problems: settingsProblems },
      mayChange: ['tokens', 'tokensFile'],
      use: (held) => {
        const gone = callers.use(held.tokens);
        useParties(callers.sharing);
        followers.use(callers.sharing, held.maxFollowers);
        calls.use(callers.sharing, held.mcpMaxCalls);
        for (const caller of gone)
          frontDoors.leave(caller).catch((error) => log.write('error', 'mcp_failed', describeError(error)));
      },
    },
    { ...context, ...served },
  );
  return (read) => {
    const isKnown = ({ tenant }: TokenSetting) => tenants.has(tenant);
    const tokens = read.tokens.filter(isKnown);
    const isOpen = read.tokens.length === 0 ? tenants.has(DEFAULT_TENANT) : tokens.length > 0;
    if (!isOpen)
      return {
        ok: false,
        problems: ['tokens_file must hold a token of a tenant that existed at the start.'],
      };
    // The notices are for people who watch the start.
    const taken = take({ ...read, tokens, notices: settings.notices });
    if (!taken.ok) return taken;
    const strangers = new Set(read.tokens.filter((token) => !isKnown(token)).map(({ tenant }) => tenant));
    const needsRestart = [...strangers].map((tenant) => `tokens_file (tenant ${tenant})`);
    return { ...taken, needsRestart: [...taken.needsRestart, ...needsRestart] };
  };
}

/** The parts from which the service is put together. */
interface Assembly {
  readonly settings: Settings;
  readonly effects: RegistryEffects;
  readonly service: ServiceParts;
  readonly callers: Callers;
  readonly registries: Registries;
  readonly ending: AbortController;
}

function assemble({ settings, effects, service, callers, registries, ending }: Assembly) {
  const { log, now, wallClock, makeId, random, after } = service;
  const followers = new Shares(settings.maxFollowers, callers.sharing);
  const calls = new Shares(settings.mcpMaxCalls, callers.sharing);
  const metrics = createMetrics({
    ...service.meters,
    tools: () => totalOf(registries, ({ toolCount }) => toolCount),
    followers: () => followers.taken,
    mcpServers: (status) => servers.count(status),
    meanings: () => meanings,
  });
  const meanings = openMeanings(
    settings,
    {
      ...{ setting: 'embedder.address', now, log, describeError },
      ...{ deadline: effects.deadline, librariesFrom: effects.librariesFrom },
    },
    callers.tenants.length,
  );
  const servers = new TenantServers({
    entries: settings.servers,
    ...{ log, now, wallClock, random, after },
    pause: () => nextTurn(),
    hasSeveralCallers: (tenant) =>
      callers.all.filter((caller) => caller.tenant === tenant && caller.rights.includes('read')).length > 1,
  });
  const frontDoors = new FrontDoors({
    registries,
    admits: (caller) => callers.admits(caller),
    serversOf: effects.serversOf ?? ((tenant) => servers.of(tenant)),
    dispatch: settings.mcpDispatch,
    calls,
    maxSubscriptions: settings.maxFollowers,
    ...{ now, wallClock, makeId, after },
    onSearch: (_, durationMs) => metrics.countSearch(durationMs),
    onDefect: (error) => log.write('error', 'mcp_failed', describeError(error)),
    onCall: (caller, { via, id, ...record }) => {
      metrics.countMcpCall(record.outcome);
      log.write('info', 'mcp_call', { caller: caller.name, via, tool: id, ...record });
    },
  });
  return {
    ...service,
    ...{ frontDoors, servers, registries, callers, metrics, meanings, followers, calls },
    slowReaders: new SlowReaders(settings.maxHeldBytes, (waitingBytes) =>
      log.write('warn', 'mcp_reader_lost', { waitingBytes }),
    ),
    ending: ending.signal,
  };
}

async function openTenants(
  store: RegistryStore,
  { settings, effects }: Pick<Assembly, 'settings' | 'effects'>,
  { callers, log, now, servers, meanings }: ReturnType<typeof assemble>,
): Promise<ReadonlyMap<string, Registry>> {
  const byTenant = new Map<string, Registry>();
  const tellDegraded = atMostEvery(DEGRADED_LOG_MS, now);
  for (const scope of callers.tenants) {
    const registry = await createRegistry({
      store,
      scope,
      clock: effects,
      randomId: effects.randomId,
      limits: { tools: settings.maxTools },
      alwaysLoaded: settings.alwaysLoaded,
      onDifference: 'replace',
      staleSince: (server) => servers.staleSince(scope, server),
      serverTerms: (server) => servers.termsOf(scope, server),
      pause: () => nextTurn(),
      ...(meanings && { meanings: meanings.open() }),
      ...(effects.deadline && { deadline: effects.deadline }),
      ...(effects.searcher && { searcher: effects.searcher }),
      onListenerFailure: (error) => log.write('error', 'listener_failed', describeError(error)),
      onDegraded: ({ searcher, reason }, error) =>
        tellDegraded(() =>
          log.write('warn', 'search_degraded', { searcher, reason, ...describeError(error) }),
        ),
    });
    byTenant.set(scope, registry);
  }
  return byTenant;
}

function poll(registries: Registries, { every, now, log }: ServiceParts): () => void {
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

/** Context of all routes. */
type PathContext = RouteContext & ChangesContext & McpContext & ServersContext;

type Routes = Partial<Record<Method, RegistryRoute<z.ZodType | undefined>>>;

/** Returns the paths of the service, except those that every service has. */
function listPaths(context: PathContext): readonly ServicePath[] {
  const registry = (routes: Routes) => registryPath(routes, context);
  return [
    registry({ POST: searchRoute(context) }),
    registry({ PUT: registerRoute, GET: listRoute }),
    registry({ GET: toolRoute, DELETE: removeRoute }),
    registry({ PUT: examplesRoute }),
    registry({ GET: namespacesRoute }),
    registry({ POST: expandRoute }),
    registry({ POST: usageRoute, GET: callsRoute(context) }),
    registry({ GET: statsRoute(context) }),
    registry({ GET: serversRoute(context), POST: addServerRoute(context) }),
    registry({
      GET: serverRoute(context),
      PATCH: changeServerRoute(context),
      DELETE: removeServerRoute(context),
    }),
    registry({ POST: refreshServerRoute(context) }),
    registry({ GET: serverToolsRoute(context) }),
    registry({ POST: approveRoute(context) }),
    registry({ GET: changesRoute(context) }),
    registry({ GET: searchToolRoute }),
    registry({ POST: searchToolSearchRoute(context) }),
    registry({ POST: mcpRoute(context) }),
    registry({ POST: readOnlyMcpRoute(context) }),
  ];
}

/** Combines the routes of one path, by method. */
function registryPath(routes: Routes, context: PathContext): ServicePath {
  const entries = Object.entries(routes);
  const [, { path, name }] = entries[0]!;
  const methods = entries.map(([method, route]) => [
    method,
    (params: Readonly<Record<string, string>>) => toRoute(route, params, context),
  ]);
  return { path, name, methods: Object.fromEntries(methods) };
}
