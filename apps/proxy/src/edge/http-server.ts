import type { RequestListener, Server } from 'node:http';
import { createHttpServer as createServer, type HttpServerOptions } from '@winnow/service';
import { isWebSocket, type UpgradeListener } from './pass-web-socket.ts';
import { refuseHead } from './refuse-head.ts';

/** Time limits and certificates of connections, and the listener for WebSockets. */
export interface ProxyServerOptions extends Pick<HttpServerOptions, 'headTimeoutMs' | 'keepAliveMs' | 'tls'> {
  readonly onUpgrade: UpgradeListener;
}

/**
 * Creates an HTTP server that answers invalid HTTP with an error that clients can read.
 */
export function createHttpServer(
  listener: RequestListener,
  { onUpgrade, ...options }: ProxyServerOptions,
): Server {
  const server = createServer(listener, {
    ...options,
    refuseHead,
    // AWS clients begin with HTTP/2.
    speaksHttp2: true,
    node: { shouldUpgradeCallback: isWebSocket },
  });
  server.on('upgrade', onUpgrade);
  return server;
}
