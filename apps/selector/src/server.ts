import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RANKERS, type Ranker } from '@winnow/ranking';
import { Drain, drainRequests, OpenConnections } from '@winnow/service';
import { SILENT_TRACER, type Tracer } from '@winnow/tracing';
import { Admission } from './admission.ts';
import { createListener } from './app.ts';
import { BodyMemory } from './body-memory.ts';
import { BuildPool } from './build-pool.ts';
import { Callers } from './callers.ts';
import { CatalogueBuilds } from './catalogue-builds.ts';
import { CatalogueCache } from './catalogue-cache.ts';
import type { Settings } from './config.ts';
import { createHttpServer } from './http-server.ts';
import { createLog, describeError, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { readTlsFiles } from './tls-files.ts';

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
  /** Another program for the build workers, for tests of how the service lives with their failures. */
  readonly buildProgram?: URL;
}

/** A service that listens. */
export interface RunningSelector {
  /** Where it listens, such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /** Starts a build worker ahead of the first large request. */
  warmUp(): void;
  /**
   * Drains and stops: for the drain delay new searches are still answered while `readyz` sends them elsewhere; then they are refused,
   * those that run are finished within the drain time, and every connection is closed. Gives whether all were finished. A second call
   * waits for the first.
   */
  close(): Promise<boolean>;
}

/**
 * Starts the service. Rejects when it cannot listen or when a certificate file is no good; the message says which setting.
 */
export async function startSelector(settings: Settings, effects: SelectorEffects): Promise<RunningSelector> {
  const { deadline = AbortSignal.timeout } = effects;
  const tls = readTlsFiles(settings);
  const log = createLog({ level: settings.logLevel, sink: effects.writeLog, wallClock: effects.wallClock });
  const drain = new Drain();
  const { listener, pool } = assemble(settings, effects, log, drain);
  const server = createHttpServer(counted(listener, drain), { ...settings, tls, makeId: effects.makeId });
  const connections = new OpenConnections(server);
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const url = `${tls ? 'https' : 'http'}://${urlHost(settings.host)}:${port}`;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    const isFinished = await drainRequests({
      drain,
      connections,
      delayMs: settings.drainDelayMs,
      timeoutMs: settings.drainTimeoutMs,
      deadline,
      pause: () => nextTurn(),
    });
    await stop(server, connections);
    await pool?.close();
    log.flush();
    return isFinished;
  };
  return {
    url,
    warmUp: () => pool?.warmUp(),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function assemble(settings: Settings, effects: SelectorEffects, log: Log, drain: Drain) {
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
  });
  const { now, makeId } = effects;
  const builds = new CatalogueBuilds({
    cache,
    ranker,
    pool,
    now,
    maxTools: settings.maxTools,
    onBuilt: (durationMs) => metrics.countBuild(durationMs),
  });
  const listener = createListener({
    cache,
    builds,
    admission,
    bodyMemory,
    metrics,
    log,
    now,
    makeId,
    pause: nextTurn,
    callers: new Callers(settings.tokens),
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    tracer: effects.tracer ?? SILENT_TRACER,
  });
  return { listener, pool };
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

/** Counts each request until its answer is over. */
function counted(listener: RequestListener, drain: Drain): RequestListener {
  return (incoming, outgoing) => {
    outgoing.once('close', drain.begin());
    listener(incoming, outgoing);
  };
}

function listen(server: Server, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(`HOST and PORT must name a free address: ${host}:${port} (${cause.code}).`, { cause }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

function stop(server: Server, connections: OpenConnections): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    connections.destroyAll();
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
