import type { RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  createHttpServer as createServer,
  type HeadError,
  type HttpServerOptions,
  STATUS_CODES,
} from '@winnow/service';
import { nearestVendor, type Vendor } from '@winnow/wire';
import { errorBody, PROXY_ERRORS, ProxyError } from '../upstream/proxy-error.ts';
import { isWebSocket, type UpgradeListener } from './pass-web-socket.ts';

/** Time limits and certificates of connections, and the listener for WebSockets. */
interface ProxyServerOptions extends Pick<HttpServerOptions, 'headTimeoutMs' | 'keepAliveMs' | 'tls'> {
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

/** Answers invalid HTTP and closes the connection: the start of the next request cannot be found. */
function refuseHead(error: HeadError, socket: Duplex): void {
  const refusal = toProxyError(error);
  const body = errorBody(refusal, guessVendor(error.rawPacket));
  const status = PROXY_ERRORS[refusal.code];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function toProxyError({ code }: HeadError): ProxyError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProxyError('head_too_large', "The request's headers are larger than 16 KiB.");
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProxyError('request_timeout', 'The request did not arrive in time.');
    default:
      return new ProxyError('bad_request', 'The request is not valid HTTP.');
  }
}

/** Guesses from the raw bytes, as the request cannot be parsed. */
function guessVendor(bytes: Buffer = Buffer.alloc(0)): Vendor {
  return nearestVendor({
    path: bytes.toString('latin1'),
    header: (name) => (bytes.includes(name) ? '' : undefined),
  });
}
