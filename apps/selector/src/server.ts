import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMeanings } from '@winnow/embeddings';
import { RANKERS, type Ranker } from '@winnow/ranking';
import { followRegistry, openRegistryAgent } from '@winnow/registry-client';
import {
  Admission,
  type Agent,
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
import { Callers } from './callers.ts';
import { BuildPool } from './catalogues/build-pool.ts';
import { CatalogueBuilds } from './catalogues/catalogue-builds.ts';
import { CatalogueCache } from './catalogues/catalogue-cache.ts';
import { CatalogueSenders } from './catalogues/catalogue-senders.ts';
import type { Settings } from './config.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { RegistryContent } from './registry/registry-content.ts';
import { shareVectors } from './share-vectors.ts';

/** What the service takes from the world around it. */
export interface SelectorEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** A new request id. */
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
  /** Waits: between attempts to follow a registry, and for meaning. Ends early when the signal aborts. A timer of Node's when it is missing. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where the libraries of a local model are looked for, for tests; by Node's own rules when it is missing. */
  readonly librariesFrom?: string;
  /** Another program for the build workers, for tests of how the service lives with their failures. */
  readonly buildProgram?: URL;
}

/** A selector that listens. */
export interface RunningSelector extends RunningService {
  /** Starts a build worker ahead of the first large request. */
  warmUp(): void;
}

/**
 * Starts the service. Rejects when it cannot listen or when a certificate file is no good; the message says which setting.
 */
export async function startSelector(settings: Settings, effects: SelectorEffects): Promise<RunningSelector> {
  const { deadline = AbortSignal.timeout } = effects;
  const tls = readServerTls(settings);
  const log = createLog({ level: settings.logLevel, sink: effects.writeLog, wallClock: effects.wallClock });
  const drain = new Drain();
  const agent = openRegistryAgent(settings);
  const { listener, pool, registry, meanings } = assemble(settings, effects, log, drain, agent);
  const service = await serve(settings, {
    listener,
    tls,
    drain,
    deadline,
    makeId: effects.makeId,
    onStopped: async () => {
      await registry?.stop();
      await agent?.destroy();
      await pool?.close();
      await meanings?.close();
      log.flush();
    },
  });
  registry?.start();
  return { ...service, warmUp: () => pool?.warmUp() };
}

function assemble(
  settings: Settings,
  effects: SelectorEffects,
  log: Log,
  drain: Drain,
  agent: Agent | undefined,
) {
  const ranker = RANKERS[settings.ranker];
  const cache = new CatalogueCache({
    maxBytes: settings.cacheMaxBytes,
    maxCatalogues: settings.cacheMaxCatalogues,
  });
  const admission = new Admission(settings.maxWaiting);
  const onWorkerLost = (error: unknown) => {
    metrics.countLostWorker();
    log.write('error', 'build_worker_lost', describeError(error));
  };
  const pool = createPool(settings, ranker, effects.buildProgram, onWorkerLost);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes);
  const metrics: Metrics = createMetrics({
    cache,
    admission,
    bodyMemory,
    queuedBuilds: () => pool?.waiting ?? 0,
    lostLines: effects.lostLines ?? (() => 0),
    registryStatus: () => registry?.status,
    meanings: () => meanings,
  });
  const { now, makeId } = effects;
  const registry =
    agent &&
    followRegistry(settings, {
      ...{ agent, effects, log, tools: new RegistryContent(), maxTools: settings.maxTools },
      onListed: () => metrics.countListing(),
      onFailure: (reason) => metrics.countRegistryFailure(reason),
    });
  const meaningModel = openMeanings(settings, {
    ...{ setting: 'embedder.address', now, log, describeError },
    ...{ deadline: effects.deadline, wait: effects.wait, librariesFrom: effects.librariesFrom },
    countFailure: (reason) => metrics.countEmbedderFailure(reason),
    share: () => shareVectors(settings, { now, deadline: effects.deadline, log }),
  });
  const meanings = meaningModel?.open();
  const builds = new CatalogueBuilds({
    cache,
    ranker,
    pool,
    now,
    maxTools: settings.maxTools,
    onBuilt: (durationMs) => metrics.countBuild(durationMs),
  });
  const listener = createApp({
    cache,
    senders: new CatalogueSenders(),
    builds,
    admission,
    bodyMemory,
    metrics,
    log,
    now,
    makeId,
    pause: nextTurn,
    registry,
    meanings,
    callers: new Callers(settings.tokens, settings.registryCallers),
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    tracer: effects.tracer ?? SILENT_TRACER,
  });
  return { listener, pool, registry, meanings: meaningModel };
}

/** A pool, unless it is switched off or the ranker's indexes cannot move between threads. */
function createPool(
  settings: Settings,
  ranker: Ranker,
  program: URL | undefined,
  onWorkerLost: (error: unknown) => void,
): BuildPool | undefined {
  if (settings.buildWorkers === 0 || !ranker.unpack) return undefined;
  return new BuildPool({
    workers: settings.buildWorkers,
    ranker,
    workerData: { ranker: settings.ranker, maxTools: settings.maxTools },
    pause: nextTurn,
    onWorkerLost,
    ...(program && { program }),
  });
}
