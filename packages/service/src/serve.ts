import type { RequestListener } from 'node:http';
import { Admission, BodyMemory } from './api/admission.ts';
import { type ExchangeMetrics, refuseHead, type WriteError } from './api/exchange.ts';
import { type OwnPathsOptions, ownPaths, type ServicePath } from './api/own-paths.ts';
import type { Party } from './bounds/shares.ts';
import { createHttpServer } from './create-http-server.ts';
import { createLog } from './log.ts';
import type { CollectedMetrics } from './metrics/metrics-registry.ts';
import type { ServerLimits } from './settings/server-settings.ts';
import { Drain, type RunningService, startServing } from './start-serving.ts';
import { afterDelay, everyInterval, waitFor } from './timers.ts';
import { type Replaced, readServerTls, replaceCertificates, type ServerTlsFiles } from './tls.ts';
import { SILENT_TRACER, type Tracer } from './tracing/span.ts';

/** The effects that a service takes from its environment. */
export interface ServiceEffects {
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  /** Returns milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Returns a new id that cannot be guessed. */
  readonly makeId: () => string;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Begins the spans of requests; no spans by default. */
  readonly tracer?: Tracer;
  /** Returns a signal that aborts after this many milliseconds; `AbortSignal.timeout` by default. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** Returns a number from 0 to below 1; `Math.random` by default. */
  readonly random?: () => number;
  /** Waits; ends early when the signal aborts. A Node timer by default. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls repeatedly, until the returned function is called; a Node timer by default. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
  /** Calls once, unless the returned function is called before; a Node timer by default. */
  readonly after?: (delayMs: number, call: () => void) => () => void;
}

/** The parts that every service has, made from its settings and its effects. */
export type ServiceParts = ReturnType<typeof openService>;

/**
 * Makes the parts of a service. Throws an error that names the setting when a certificate file is invalid.
 *
 * @param parties those who send requests, where they can be told apart; each has its share of what may wait.
 */
export function openService(
  settings: ServerLimits & ServerTlsFiles,
  effects: ServiceEffects,
  parties: readonly Party[] = [],
) {
  const { now, wallClock, makeId, writeLog } = effects;
  const drain = new Drain();
  const admission = new Admission(settings.maxWaiting, parties);
  const bodyMemory = new BodyMemory(settings.maxHeldBytes, parties);
  const bodyLimits = { maxBytes: settings.maxBodyBytes, timeoutMs: settings.requestTimeoutMs };
  return {
    now,
    wallClock,
    makeId,
    tracer: effects.tracer ?? SILENT_TRACER,
    deadline: effects.deadline ?? AbortSignal.timeout,
    random: effects.random ?? Math.random,
    wait: effects.wait ?? waitFor,
    every: effects.every ?? everyInterval,
    after: effects.after ?? afterDelay,
    tls: readServerTls(settings),
    log: createLog({ level: settings.logLevel, sink: writeLog, wallClock }),
    drain,
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    admission,
    bodyMemory,
    /** Shares places and memory among other parties. */
    useParties(others: readonly Party[]) {
      admission.useParties(others);
      bodyMemory.useParties(others);
    },
    bodyLimits,
    /** The state of requests that metrics show. */
    meters: { waiting: () => admission.waiting, heldBytes: () => bodyMemory.held },
  };
}

/** The address of a service, and its limits. */
export interface ServeSettings extends ServerLimits {
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
}

/** The paths of a service, and its shutdown. */
export interface ServeOptions extends Pick<OwnPathsOptions, 'readiness' | 'admitScraper' | 'description'> {
  /** The paths in addition to those that every service has. */
  readonly paths: readonly ServicePath[];
  readonly metrics: ExchangeMetrics & { readonly collect: () => Promise<CollectedMetrics> };
  /** Writes the body of an error; the common form by default. */
  readonly writeError?: WriteError;
  /** Releases all resources after the last connection is closed; the log is flushed afterwards. */
  readonly onStopped: () => Promise<void>;
}

/** A service that listens, and can replace its certificates. */
export interface ServedService extends RunningService {
  /** Uses certificate files that have changed for new connections; files that do not belong together change nothing. */
  readonly replaceCertificates: (files: ServerTlsFiles) => Replaced;
}

/**
 * Listens at the host and port of the settings. Rejects when the address is not available; the message names
 * the settings.
 */
export async function serve(
  settings: ServeSettings,
  service: ServiceParts,
  options: ServeOptions,
): Promise<ServedService> {
  const { paths, metrics, writeError, onStopped } = options;
  const { tls, drain, deadline, makeId, isDraining, log } = service;
  // Loaded here, so that a process that only imports this package's index need not load the router.
  const { createListener } = await import('./api/create-listener.ts');
  const own = ownPaths({ ...options, isDraining, collectMetrics: metrics.collect });
  const context = { ...service, metrics, ...(writeError && { writeError }) };
  const listener = createListener([...paths, ...own], context, options.description);
  const server = createHttpServer(counted(listener, drain), {
    tls,
    headTimeoutMs: settings.requestTimeoutMs,
    keepAliveMs: settings.keepAliveTimeoutMs,
    refuseHead: (error, socket) => refuseHead(error, socket, { makeId, writeError }),
    // Node would refuse a missing host itself, without a body; the routes' response has one.
    node: { requireHostHeader: false },
  });
  let used = tls;
  const running = await startServing({
    ...settings,
    server,
    drain,
    deadline,
    onStopped: async () => {
      await onStopped();
      log.flush();
    },
  });
  return {
    ...running,
    replaceCertificates: (files) => {
      const replaced = replaceCertificates(server, used, files);
      if (replaced.ok) used = replaced.tls;
      return replaced;
    },
  };
}

function counted(listener: RequestListener, drain: Drain): RequestListener {
  return (incoming, outgoing) => {
    outgoing.once('close', drain.begin());
    listener(incoming, outgoing);
  };
}
