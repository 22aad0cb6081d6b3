import type { RequestListener, Server } from 'node:http';
import { createHttpServer as createServer, type HttpServerOptions } from '@winnow/service';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { refuseHead } from './refuse-head.ts';
import { isWebSocket, refuseUpgrade } from './refuse-upgrade.ts';

/** Time limits of connections, and the upstreams behind them. */
export interface ProxyServerOptions extends Pick<HttpServerOptions, 'headTimeoutMs' | 'keepAliveMs'> {
  /** An error has the shape of one of these. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

/** An HTTP server that responds even to what is not HTTP with an error that clients can read, and refuses WebSockets. */
export function createHttpServer(
  listener: RequestListener,
  { upstreams, ...options }: ProxyServerOptions,
): Server {
  const server = createServer(listener, {
    ...options,
    refuseHead,
    // AWS's own clients begin with HTTP/2.
    speaksHttp2: true,
    node: { shouldUpgradeCallback: isWebSocket },
  });
  server.on('upgrade', (incoming, socket) => refuseUpgrade(incoming, socket, upstreams));
  return server;
}
