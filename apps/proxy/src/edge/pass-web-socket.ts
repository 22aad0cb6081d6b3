import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '@winnow/service';
import { CREDENTIAL_PROTOCOLS } from '@winnow/wire';
import { findFormat } from '../reading/read-exchange.ts';
import { climbsOut, type Target, type Upstream } from '../upstream/choose-upstream.ts';
import { ClientSignal } from '../upstream/client.ts';
import { headerValue, type RawHeaders, toClientHeaders, toUpstreamHeaders } from '../upstream/headers.ts';
import { errorBody, PROXY_ERRORS, ProxyError } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { resolveSigning } from '../upstream/signing.ts';
import { queryCredentials } from '../upstream/upstream-auth.ts';
import type { OpenWebSocket } from '../upstream/upstream-client.ts';
import { type AppContext, entersBy, targetOf, toProxyError, vendorOf } from './create-listener.ts';

/** Context of WebSockets. */
interface WebSocketContext
  extends Pick<
    AppContext,
    'upstreams' | 'access' | 'guardOf' | 'isRefusing' | 'onDefect' | 'wallClock' | 'secretPaths'
  > {
  readonly openWebSocket: OpenWebSocket;
  /** Counts a connection as a running exchange until the returned function is called. */
  readonly begin: () => () => void;
}

/** A listener for the `upgrade` event of Node's HTTP server. */
export type UpgradeListener = (incoming: IncomingMessage, socket: Duplex, first: Buffer) => void;

/** The WebSockets of a proxy. */
interface WebSockets {
  readonly onUpgrade: UpgradeListener;
  /** Ends those that would be refused now. Call it when the rules for access have changed. */
  readonly endRefused: () => void;
}

/** Whether a request insists on a WebSocket. A server may ignore offers of other upgrades, such as HTTP/2. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return /\bwebsocket\b/i.test(headers.upgrade ?? '');
}

/**
 * Passes WebSockets through to their upstream, with the guard and the credentials of every other request, and
 * unread: the tools of a realtime session stay as the client sends them.
 *
 * A path whose requests the proxy edits gets 426, because its clients fall back to HTTP, where tools are held
 * back.
 */
export function passWebSockets(context: WebSocketContext): WebSockets {
  const open = new Map<Duplex, () => ProxyError | undefined>();
  const onUpgrade: UpgradeListener = (incoming, socket, first) => {
    if (!entersBy(context.secretPaths, incoming)) {
      socket.on('error', () => socket.destroy());
      socket.end(headOf(404, ['connection', 'close']));
      return;
    }
    const signal = new ClientSignal();
    const end = context.begin();
    // A client that vanishes without a word would hold its connection, and the upstream's, for ever.
    incoming.socket.setKeepAlive(true, PROBE_MS);
    socket.on('error', () => socket.destroy());
    const target = targetOf(incoming, context.upstreams());
    if (target) open.set(socket, () => refusalOf(incoming, target, context));
    socket.once('close', () => {
      open.delete(socket);
      end();
      signal.abort();
    });
    pass(incoming, target, { socket, first, signal }, context).catch((error: unknown) => {
      if (!signal.aborted) refuse(socket, incoming, target, toProxyError(error, context.onDefect));
    });
  };
  const endRefused = () => {
    for (const [socket, refusal] of open) if (refusal() !== undefined) socket.destroy();
  };
  return { onUpgrade, endRefused };
}

/** Silence after which a connection is probed, in milliseconds. */
const PROBE_MS = 60_000;

/** The client's side of a connection. */
interface ClientSide {
  readonly socket: Duplex;
  /** Bytes that the client sent right after its request. */
  readonly first: Buffer;
  readonly signal: ClientSignal;
}

async function pass(
  incoming: IncomingMessage,
  target: Target | undefined,
  { socket, first, signal }: ClientSide,
  context: WebSocketContext,
): Promise<void> {
  const { upstream, path } = await admit(incoming, target, context);
  const opened = await context.openWebSocket({
    upstream,
    path,
    headers: headersFor(upstream, incoming.rawHeaders),
    signal,
  });
  if (opened.kind === 'answered') return relayAnswer(opened.response, socket);
  const { headers, socket: behind } = opened;
  behind.on('error', () => behind.destroy());
  behind.once('close', () => socket.destroy());
  if (socket.destroyed) {
    behind.destroy();
    return;
  }
  socket.once('close', () => behind.destroy());
  const switched = [
    ...toClientHeaders(headers, 'untouched'),
    'connection',
    'Upgrade',
    'upgrade',
    'websocket',
  ];
  socket.write(headOf(101, switched));
  behind.write(first);
  // Each pipe waits for its slower end, so that neither side can fill the memory.
  socket.pipe(behind).pipe(socket);
}

/** Returns the reason to refuse the sender of a request; undefined if it is admitted. */
function refusalOf(
  { headers, rawHeaders }: IncomingMessage,
  { query, upstream }: Target,
  { access, guardOf }: WebSocketContext,
): ProxyError | undefined {
  const parameters = [...queryCredentials(query), ...protocolCredentials(rawHeaders)];
  return access.refusal({ headers, parameters, guard: guardOf(upstream) });
}

/** Returns where a WebSocket goes. Throws a ProxyError if it may not. */
async function admit(
  incoming: IncomingMessage,
  target: Target | undefined,
  context: WebSocketContext,
): Promise<Target> {
  const { method = '', url = '', headers, rawHeaders } = incoming;
  if (context.isRefusing()) throw new ProxyError('draining', 'The proxy is shutting down.');
  if (target === undefined) throw new ProxyError('upgrade_refused', NO_WEB_SOCKET);
  const refusal = refusalOf(incoming, target, context);
  if (refusal) throw refusal;
  const isEdited = findFormat('POST', target.clientPath) !== undefined;
  if (method !== 'GET' || isEdited || target.upstream.auth.kind === 'sigv4')
    throw new ProxyError('upgrade_refused', NO_WEB_SOCKET);
  if (climbsOut(target.clientPath))
    throw new ProxyError('bad_request', "The path leads outside the upstream's base path.");
  return resolveSigning({ method, url, headers, rawHeaders }, target, context.wallClock);
}

const NO_WEB_SOCKET = 'This endpoint speaks plain HTTP only.';

function headersFor(upstream: Upstream, client: RawHeaders): string[] {
  const replace = { 'sec-websocket-protocol': upstreamProtocols(client, upstream) };
  return toUpstreamHeaders(client, { upstream, replace });
}

/**
 * Relays a response that is not a WebSocket, such as a refusal, and closes the connection. If the upstream breaks
 * off, so does the response.
 */
async function relayAnswer({ status, headers, body }: UpstreamResponse, socket: Duplex): Promise<void> {
  socket.write(headOf(status, [...toClientHeaders(headers, 'untouched'), 'connection', 'close']));
  try {
    for await (const piece of body) {
      if (socket.destroyed) return;
      if (!socket.write(piece)) await drained(socket);
    }
    socket.end();
  } catch {
    socket.destroy();
  }
}

function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });
}

function refuse(
  socket: Duplex,
  incoming: IncomingMessage,
  target: Target | undefined,
  error: ProxyError,
): void {
  const body = errorBody(error, vendorOf(incoming, target));
  const isUpgrade = error.code === 'upgrade_refused';
  const headers = [
    ...['content-type', 'application/json'],
    ...['content-length', String(Buffer.byteLength(body))],
    ...(isUpgrade ? ['upgrade', 'HTTP/1.1', 'connection', 'upgrade, close'] : ['connection', 'close']),
  ];
  socket.end(headOf(PROXY_ERRORS[error.code], headers) + body);
}

function headOf(status: number, headers: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n`;
}

const HEADER = 'sec-websocket-protocol';

/**
 * Returns the credentials among the subprotocols that a client offers, names and values in turn: a browser
 * cannot add a header to a WebSocket.
 */
function protocolCredentials(headers: RawHeaders): readonly string[] {
  return offered(headers).flatMap((protocol) => {
    const value = credentialOf(protocol);
    return value === undefined ? [] : [HEADER, value];
  });
}

/**
 * Returns the subprotocols to offer to an upstream: the client's, without credentials for other recipients;
 * undefined if none is left. An operator's key replaces every client credential, and the proxy's own tokens
 * never pass.
 */
function upstreamProtocols(
  headers: RawHeaders,
  { auth, isOwnToken }: Pick<Upstream, 'auth' | 'isOwnToken'>,
): string | undefined {
  const kept = offered(headers).filter((protocol) => {
    const value = credentialOf(protocol);
    return value === undefined || (auth.kind === 'forward' && isOwnToken?.(value) !== true);
  });
  return kept.length === 0 ? undefined : kept.join(', ');
}

function offered(headers: RawHeaders): string[] {
  const protocols = headerValue(headers, HEADER)?.split(',') ?? [];
  return protocols.map((protocol) => protocol.trim()).filter(Boolean);
}

function credentialOf(protocol: string): string | undefined {
  const prefix = CREDENTIAL_PROTOCOLS.find((start) => protocol.startsWith(start));
  return prefix === undefined ? undefined : protocol.slice(prefix.length);
}
