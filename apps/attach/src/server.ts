import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@winnow/contract';
import { followRegistry, openRegistryAgent } from '@winnow/registry-client';
import {
  Admission,
  Agent,
  BodyMemory,
  createLog,
  Drain,
  describeError,
  type Log,
  type RunningService,
  readClientTls,
  readServerTls,
  serve,
} from '@winnow/service';
import { SILENT_TRACER, type Tracer } from '@winnow/tracing';
import { createApp } from './app.ts';
import { writeAttachError } from './attach-error.ts';
import { AttachService } from './attach-service.ts';
import { CatalogueKeeper } from './catalogue/catalogue-keeper.ts';
import type { Settings } from './config.ts';
import { AgentWriters } from './guard/agent-writers.ts';
import type { AttachStore } from './guard/attach-store.ts';
import { openStore } from './guard/open-store.ts';
import { Callers } from './http/callers.ts';
import { RepeatedRequests } from './http/repeated-requests.ts';
import { createLetta } from './letta/letta-client.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { LettaRanking } from './ranking/letta-ranking.ts';
import { RegistryTools } from './registry/registry-tools.ts';
import { createAttachLog } from './tell-attachment.ts';

/** What the service takes from the world around it. */
export interface AttachEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** A new id that nobody can guess. */
  readonly makeId: () => string;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Log lines that could not be written so far; without it none are. */
  readonly lostLines?: () => number;
  /** Begins the spans of requests; without one there are none. */
  readonly tracer?: Tracer;
  /** A signal that aborts after so many milliseconds, as `AbortSignal.timeout`, which stands in when there is none. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** From 0 to below 1, at random, as `Math.random`, which stands in when there is none. */
  readonly random?: () => number;
  /** Waits; ends early when the signal aborts. A timer of Node's when it is missing. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls again and again, until the function that it gives is called; a timer of Node's when it is missing. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
}

/** With more tools than these a registry is not followed: searching them takes too long. */
const MAX_REGISTRY_TOOLS = LIMITS.tools;

/** Connections to Letta: those of four requests that make as many calls at once as they may. */
const CONNECTIONS = 32;

/** Starts the service. Rejects when it cannot listen or when a certificate file is no good; the message says which setting. */
export async function startAttach(settings: Settings, effects: AttachEffects): Promise<RunningService> {
  const { deadline = AbortSignal.timeout } = effects;
  const tls = readServerTls(settings);
  const log = createLog({ level: settings.logLevel, sink: effects.writeLog, wallClock: effects.wallClock });
  const drain = new Drain();
  const ending = new AbortController();
  const pool = openPool(settings);
  const registryAgent = openRegistryAgent(settings);
  const store = await openStore(settings, {
    now: effects.now,
    deadline,
    makeId: effects.makeId,
    onChange: tellingOnce(log),
  });
  const { listener, registry } = assemble({
    ...{ settings, effects, log, drain, ending: ending.signal, pool, registryAgent, store },
  });
  const service = await serve(settings, {
    listener,
    tls,
    drain,
    deadline,
    makeId: effects.makeId,
    writeError: writeAttachError,
    onStopped: async () => {
      ending.abort();
      store.close();
      await registry?.stop();
      await registryAgent?.destroy();
      await pool.destroy();
      log.flush();
    },
  });
  registry?.start();
  return service;
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

function openPool({ lettaCaFile }: Settings): Agent {
  const tls = readClientTls('letta', {
    ca_file: lettaCaFile,
    cert_file: '',
    key_file: '',
  });
  return new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}

/** What the parts of the service are put together from. */
interface Assembly {
  readonly settings: Settings;
  readonly effects: AttachEffects;
  readonly log: Log;
  readonly drain: Drain;
  /** Aborts when everything is finished. */
  readonly ending: AbortSignal;
  readonly pool: Agent;
  /** Undefined without a registry. */
  readonly registryAgent: Agent | undefined;
  readonly store: AttachStore;
}

function assemble({ settings, effects, log, drain, ending, pool, registryAgent, store }: Assembly) {
  const { now, makeId, deadline = AbortSignal.timeout, wait = sleepUnlessAborted } = effects;
  const admission = new Admission(settings.maxWaiting);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes);
  const metrics: Metrics = createMetrics({
    tools: () => keeper.catalogue.size,
    catalogueAgeMs: () => keeper.ageMs,
    registryStatus: () => registry?.status,
    waiting: () => admission.waiting,
    heldBytes: () => bodyMemory.held,
    lostLines: effects.lostLines ?? (() => 0),
  });
  const letta = createLetta({
    url: settings.lettaBaseUrl === '' ? 'http://unset' : settings.lettaBaseUrl,
    password: settings.lettaPassword,
    pool,
    deadline,
    wait,
    random: effects.random ?? Math.random,
    onCall: (route, status) => metrics.countLettaCall(route, status),
  });
  const registry =
    registryAgent &&
    followRegistry(settings, {
      ...{ agent: registryAgent, effects, log },
      tools: new RegistryTools(),
      maxTools: MAX_REGISTRY_TOOLS,
      onListed: () => {},
      onFailure: (reason) => metrics.countRegistryFailure(reason),
    });
  const keeper: CatalogueKeeper = new CatalogueKeeper({
    letta,
    tracer: effects.tracer ?? SILENT_TRACER,
    now,
    deadline,
    ...(registry && { registered: () => registry.tools.offered() }),
    onRead: (reading) => {
      metrics.countReading(true);
      log.write('info', 'catalogue_read', { ...reading });
    },
    onFailure: (error) => {
      metrics.countReading(false);
      log.write('warn', 'catalogue_unreadable', describeError(error));
    },
  });
  const ranking = new LettaRanking({
    now,
    onChange: (change) => {
      if (change.isWorking) log.write('info', 'ranking_works');
      else log.write('warn', 'ranking_fails', { reason: change.reason });
    },
  });
  const writers = new AgentWriters({ store, now, wait, every: effects.every ?? everyInterval });
  const service = new AttachService({
    letta,
    keeper,
    store,
    writers,
    rules: {
      limits: {
        total: settings.maxTotalTools,
        mcp: settings.maxMcpTools,
        leastMcp: settings.minMcpTools,
        dropRate: settings.defaultDropRate,
      },
      protectedNames: [...settings.neverDetachTools, ...settings.protectedTools],
      excludesCore: settings.excludeCoreTools,
    },
    ranking: settings.rankWith === 'letta' ? ranking : undefined,
    pause: nextTurn,
    now,
    deadline,
    makeId,
    ending,
    onLoopFailure: (error) => log.write('warn', 'loop_not_triggered', describeError(error)),
  });
  const listener = createApp({
    service: settings.lettaBaseUrl === '' ? undefined : service,
    callers: new Callers(settings.tokens),
    repeated: new RepeatedRequests({
      store,
      onReplay: () => metrics.countReplay(),
      onStoreFailure: (error) => log.write('warn', 'response_not_stored', describeError(error)),
    }),
    tell: createAttachLog(metrics, log),
    beginWork: () => drain.begin(),
    maxLimit: settings.findToolsMaxLimit,
    webhookSecret: settings.webhookSecret,
    admission,
    bodyMemory,
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    metrics,
    log,
    now,
    makeId,
    tracer: effects.tracer ?? SILENT_TRACER,
    writeError: writeAttachError,
  });
  return { listener, registry };
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  // The one way in which it rejects is the signal.
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

function everyInterval(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs);
  return () => clearInterval(timer);
}
