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
import type { ServerTlsFiles } from './tls/read-server-tls.ts';
import { type Replaced, replaceCertificates } from './tls/replace-certificates.ts';

/** The address of a service, and its timeouts. Times are in milliseconds. */
export interface ServeSettings {
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly drainDelayMs: number;
  readonly drainTimeoutMs: number;
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
  const listener = createListener([...paths, ...own], {
    ...service,
    metrics,
    ...(writeError && { writeError }),
  });
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
