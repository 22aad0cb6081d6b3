import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, PROXY_ERRORS, ProxyError } from '../http/proxy-error.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { targetOf, vendorOf } from './locate-request.ts';

/** Whether a request insists on a WebSocket. A server may ignore offers of other upgrades, such as HTTP/2. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return /\bwebsocket\b/i.test(headers.upgrade ?? '');
}

/** Answers a WebSocket upgrade with 426: clients fall back to plain HTTP. */
export function refuseUpgrade(
  incoming: IncomingMessage,
  socket: Duplex,
  upstreams: ReadonlyMap<string, Upstream>,
): void {
  const error = new ProxyError('upgrade_refused', 'This endpoint speaks plain HTTP only.');
  const body = errorBody(error, vendorOf(incoming, targetOf(incoming, upstreams)));
  const head = [
    `HTTP/1.1 ${PROXY_ERRORS.upgrade_refused} Upgrade Required`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'upgrade: HTTP/1.1',
    'connection: upgrade, close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
