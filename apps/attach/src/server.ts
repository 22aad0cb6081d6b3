import { setImmediate as nextTurn } from 'node:timers/promises';
import { followRegistry, openRegistryAgent } from '@winnow/clients';
import { LIMITS } from '@winnow/core';
import {
  describeError,
  type HttpPool,
  type Log,
  type Method,
  openHttpPool,
  openService,
  type Reloaded,
  type RunningService,
  readClientTls,
  type ServiceEffects,
  type ServiceParts,
  type ServicePath,
  serve,
  servicePath,
  takeSettings,
} from '@winnow/service';
import type { z } from 'zod';
import { writeAttachError } from './attach-error.ts';
import { AttachService } from './attach-service.ts';
import { CatalogueKeeper, RegistryTools } from './catalogue/catalogue-keeper.ts';
import { SETTINGS, type Settings, settingsProblems } from './config.ts';
import { AgentWriters } from './guard/agent-writers.ts';
import { type AttachStore, openStore } from './guard/attach-store.ts';
import { type AttachRoute, Callers, type RouteContext, toRoute } from './http/attach-route.ts';
import { RepeatedRequests } from './http/repeated-requests.ts';
import { createLetta } from './letta/letta-client.ts';
import { createAttachLog, createMetrics, type Metrics } from './metrics.ts';
import type { AttachRules } from './prepare-attachment.ts';
import { attachRoute, type ChangeContext, pruneRoute } from './routes/attach.ts';
import { describeApi } from './routes/openapi.ts';
import { listRoute, refreshRoute, searchRoute } from './routes/tools.ts';
import { type WebhookContext, webhookRoute } from './routes/webhook.ts';
import { VERSION } from './version.ts';

/** With more tools than these a registry is not followed: searching them takes too long. */
const MAX_REGISTRY_TOOLS = LIMITS.tools;

/** Connections to Letta: those of four requests that make as many calls at once as they may. */
const CONNECTIONS = 32;

/** An attach service that listens. */
interface RunningAttach extends RunningService {
  /** Takes over tokens, limits, protected tools, the webhook's secret and certificates, from the next request on. */
  reload(read: Settings): Reloaded;
}

/**
 * Starts the service. Rejects if it cannot listen or a certificate file is invalid; the message names the
 * setting.
 */
export async function startAttach(settings: Settings, effects: ServiceEffects): Promise<RunningAttach> {
  const service = openService(settings, effects);
  const { log, now, deadline, makeId } = service;
  const ending = new AbortController();
  const pool = openPool(settings);
  const registryAgent = openRegistryAgent(settings);
  const store = await openStore(settings, { now, deadline, makeId, onChange: tellingOnce(log) });
  let held = settings;
  const { context, registry } = assemble({
    ...{ settings, held: () => held, service, ending: ending.signal, pool, registryAgent, store },
  });
  service.useParties(context.callers.parties);
  const running = await serve(settings, service, {
    paths: listPaths(context),
    metrics: context.metrics,
    admitScraper: (incoming) => context.callers.identify(incoming),
    description: describeApi(VERSION),
    writeError: writeAttachError,
    onStopped: async () => {
      ending.abort();
      store.close();
      await registry?.stop();
      await registryAgent?.destroy();
      await pool.destroy();
    },
  });
  registry?.start();
  return {
    ...running,
    reload: takeSettings(
      {
        ...{ settings, table: SETTINGS, problems: settingsProblems },
        mayChange: [
          ...(['tokens', 'webhookSecret', 'maxTotalTools', 'maxMcpTools', 'minMcpTools'] as const),
          ...(['defaultDropRate', 'neverDetachTools', 'protectedTools', 'excludeCoreTools'] as const),
          'findToolsMaxLimit',
        ],
        use: (settings) => {
          held = settings;
          context.callers.use(settings.tokens);
          service.useParties(context.callers.parties);
        },
      },
      { ...service, ...running },
    ),
  };
}

/** Says that the store is away, and that it is back, once each time. */
function tellingOnce(log: Log): (isUp: boolean) => void {
  let wasUp: boolean | undefined;
  return (isUp) => {
    if (isUp !== wasUp && (wasUp !== undefined || !isUp))
      log.write(isUp ? 'info' : 'warn', isUp ? 'store_back' : 'store_away');
    wasUp = isUp;
  };
}

function openPool({ clientTlsFolder }: Settings): HttpPool {
  const connect = { ...readClientTls(clientTlsFolder) };
  return openHttpPool({ connections: CONNECTIONS, pipelining: 1, connect });
}

/** The parts of the service. */
interface Assembly {
  readonly settings: Settings;
  /** Returns the settings that hold now. */
  readonly held: () => Settings;
  readonly service: ServiceParts;
  /** Aborts when everything is finished. */
  readonly ending: AbortSignal;
  readonly pool: HttpPool;
  /** Undefined without a registry. */
  readonly registryAgent: HttpPool | undefined;
  readonly store: AttachStore;
}

function assemble({ settings, held, service: parts, ending, pool, registryAgent, store }: Assembly) {
  const { log, drain, now, makeId, deadline, wait, random, every, tracer } = parts;
  const metrics: Metrics = createMetrics({
    ...parts.meters,
    catalogueAgeMs: () => keeper.ageMs,
    registryStatus: () => registry?.status,
  });
  const letta = createLetta({
    url: settings.lettaBaseUrl === '' ? 'http://unset' : settings.lettaBaseUrl,
    password: settings.lettaPassword,
    timeoutMs: settings.lettaTimeoutMs,
    pool,
    deadline,
    wait,
    random,
    onCall: (route, status) => metrics.countLettaCall(route, status),
  });
  const registry =
    registryAgent &&
    followRegistry(settings, {
      ...{ agent: registryAgent, effects: parts, log },
      tools: new RegistryTools(),
      maxTools: MAX_REGISTRY_TOOLS,
    });
  const keeper: CatalogueKeeper = new CatalogueKeeper({
    letta,
    tracer,
    now,
    deadline,
    ...(registry && { registered: () => registry.tools.offered() }),
    onRead: (reading) => {
      log.write('info', 'catalogue_read', { ...reading });
    },
    onFailure: (error) => {
      log.write('warn', 'catalogue_unreadable', describeError(error));
    },
  });
  const writers = new AgentWriters({ store, now, wait, every });
  const service = new AttachService({
    letta,
    keeper,
    store,
    writers,
    get rules() {
      return rulesOf(held());
    },
    pause: nextTurn,
    now,
    deadline,
    makeId,
    ending,
    onLoopFailure: (error) => log.write('warn', 'loop_not_triggered', describeError(error)),
  });
  const context: PathContext = {
    ...parts,
    service: settings.lettaBaseUrl === '' ? undefined : service,
    callers: new Callers(settings.tokens),
    repeated: new RepeatedRequests({
      store,
      onStoreFailure: (error) => log.write('warn', 'response_not_stored', describeError(error)),
    }),
    tell: createAttachLog(metrics),
    beginWork: () => drain.begin(),
    get maxLimit() {
      return held().findToolsMaxLimit;
    },
    get webhookSecret() {
      return held().webhookSecret;
    },
    metrics,
  };
  return { context, registry };
}

function rulesOf(settings: Settings): AttachRules {
  return {
    limits: {
      total: settings.maxTotalTools,
      mcp: settings.maxMcpTools,
      leastMcp: settings.minMcpTools,
      dropRate: settings.defaultDropRate,
    },
    protectedNames: [...settings.neverDetachTools, ...settings.protectedTools],
    excludesCore: settings.excludeCoreTools,
  };
}

/** Everything that the routes need, all together. */
type PathContext = RouteContext & ChangeContext & WebhookContext & { readonly metrics: Metrics };

/** The paths of the service, apart from those that every service has. */
function listPaths(context: PathContext): readonly ServicePath[] {
  const attach = <Schema extends z.ZodType | undefined>(method: Method, route: AttachRoute<Schema>) =>
    servicePath(method, route.path, toRoute(route, context));
  const webhook = webhookRoute(context);
  return [
    attach('POST', attachRoute(context)),
    attach('POST', pruneRoute(context)),
    attach('POST', searchRoute),
    attach('GET', listRoute),
    attach('POST', refreshRoute),
    servicePath('POST', webhook.tracedPath!, webhook),
  ];
}
