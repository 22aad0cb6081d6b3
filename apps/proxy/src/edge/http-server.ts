import type { RequestListener, Server } from 'node:http';
import { createHttpServer as createServer, type HttpServerOptions } from '@winnow/service';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { refuseHead } from './refuse-head.ts';
import { isWebSocket, refuseUpgrade } from './refuse-upgrade.ts';

/** Time limits of connections, and the configured upstreams. */
export interface ProxyServerOptions extends Pick<HttpServerOptions, 'headTimeoutMs' | 'keepAliveMs'> {
  /** An error response takes the format of one of these upstreams. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

/**
 * Creates an HTTP server that answers invalid HTTP with an error that clients can read, and refuses
 * WebSockets.
 */
export function createHttpServer(
  listener: RequestListener,
  { upstreams, ...options }: ProxyServerOptions,
): Server {
  const server = createServer(listener, {
    ...options,
    refuseHead,
    // AWS clients begin with HTTP/2.
    speaksHttp2: true,
    node: { shouldUpgradeCallback: isWebSocket },
  });
  server.on('upgrade', (incoming, socket) => refuseUpgrade(incoming, socket, upstreams));
  return server;
}
