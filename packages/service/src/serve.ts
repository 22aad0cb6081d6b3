import type { RequestListener } from 'node:http';
import type { ExchangeMetrics, WriteError } from './api/exchange.ts';
import { type OwnPathsOptions, ownPaths } from './api/own-paths.ts';
import { refuseHead } from './api/refuse-head.ts';
import type { ServicePath } from './api/service-path.ts';
import { createHttpServer } from './create-http-server.ts';
import type { Drain } from './drain.ts';
import type { CollectedMetrics } from './metrics/metrics-registry.ts';
import type { ServiceParts } from './open-service.ts';
import { type RunningService, startServing } from './start-serving.ts';

/** How a service is reached, and how it stops. Times are in milliseconds. */
export interface ServeSettings {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly drainDelayMs: number;
  readonly drainTimeoutMs: number;
}

/** The paths of a service, and its end. */
export interface ServeOptions extends Pick<OwnPathsOptions, 'readiness' | 'admitScraper' | 'description'> {
  /** All but those that every service has. */
  readonly paths: readonly ServicePath[];
  readonly metrics: ExchangeMetrics & { readonly collect: () => Promise<CollectedMetrics> };
  /** The form of errors; ours by default. */
  readonly writeError?: WriteError;
  /** Lets go of everything once no connection is open; the log is flushed after it. */
  readonly onStopped: () => Promise<void>;
}

/** Listens at the host and port of the settings. Rejects when the address cannot be had; the message names the settings. */
export async function serve(
  settings: ServeSettings,
  service: ServiceParts,
  options: ServeOptions,
): Promise<RunningService> {
  const { paths, metrics, writeError, onStopped } = options;
  const { tls, drain, deadline, makeId, isDraining, log } = service;
  // Loaded here: a process that only reads this package's index does without the router.
  const { createListener } = await import('./api/create-listener.ts');
  const own = ownPaths({ ...options, isDraining, collectMetrics: metrics.collect });
  const listener = createListener([...paths, ...own], {
    ...service,
    metrics,
    ...(writeError && { writeError }),
  });
  return startServing({
    ...settings,
    server: createHttpServer(counted(listener, drain), {
      tls,
      headTimeoutMs: settings.requestTimeoutMs,
      keepAliveMs: settings.keepAliveTimeoutMs,
      refuseHead: (error, socket) => refuseHead(error, socket, { makeId, writeError }),
      // Node would refuse a missing host by itself, without a body; the routes' response has one.
      node: { requireHostHeader: false },
    }),
    drain,
    deadline,
    onStopped: async () => {
      await onStopped();
      log.flush();
    },
  });
}

function counted(listener: RequestListener, drain: Drain): RequestListener {
  return (incoming, outgoing) => {
    outgoing.once('close', drain.begin());
    listener(incoming, outgoing);
  };
}
