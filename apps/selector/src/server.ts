import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RANKERS, type Ranker } from '@winnow/ranking';
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
   * Drains and stops: new searches are refused, those that run are finished within the drain time, then every connection is
   * closed. Gives whether all were finished. A second call waits for the first.
   */
  close(): Promise<boolean>;
}

/**
 * Starts the service. Rejects when it cannot listen or when a certificate file is no good; the message says which setting.
 */
export async function startSelector(settings: Settings, effects: SelectorEffects): Promise<RunningSelector> {
  const tls = readTlsFiles(settings);
  const log = createLog({ level: settings.logLevel, sink: effects.writeLog, wallClock: effects.wallClock });
  const drain = new Drain();
  const { listener, pool } = assemble(settings, effects, log, drain);
  const server = createHttpServer(drain.count(listener), { ...settings, tls, makeId: effects.makeId });
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const url = `${tls ? 'https' : 'http'}://${urlHost(settings.host)}:${port}`;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    const isFinished = await drain.finish(settings.drainTimeoutMs);
    await stop(server);
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
  const metrics: Metrics = createMetrics({ cache, admission, queuedBuilds: () => pool?.waiting ?? 0 });
  const { now, makeId } = effects;
  const builds = new CatalogueBuilds({
    cache,
    ranker,
    pool,
    now,
    maxTools: settings.maxTools,
    onBuilt: () => metrics.countBuild(),
  });
  const listener = createListener({
    cache,
    builds,
    admission,
    bodyMemory: new BodyMemory(settings.maxHeldBytes),
    metrics,
    log,
    now,
    makeId,
    pause: nextTurn,
    callers: new Callers(settings.tokens),
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs },
    isDraining: () => drain.isDraining,
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

/** Counts the requests that are not answered yet, so that the end can wait for them. */
class Drain {
  #open = 0;
  #onIdle: (() => void) | undefined;
  isDraining = false;

  count(listener: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      this.#open++;
      outgoing.once('close', () => {
        this.#open--;
        if (this.#open === 0) this.#onIdle?.();
      });
      listener(incoming, outgoing);
    };
  }

  /** Waits until no request is open, for `timeoutMs` at most; gives whether that is so. */
  async finish(timeoutMs: number): Promise<boolean> {
    this.isDraining = true;
    if (this.#open === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
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

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
