import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createHttp2Side } from './http2-side.ts';
import { isTlsServer, type ServerTls, secureOptions } from './tls.ts';

/** Node's error for bytes that are not a request. */
export interface HeadError extends Error {
  readonly code?: string | undefined;
  /** The last bytes that the parser received. */
  readonly rawPacket?: Buffer | undefined;
}

/** The treatment of connections. */
export interface HttpServerOptions {
  readonly tls?: ServerTls | undefined;
  /** The time in which the head of a request must arrive, in milliseconds. */
  readonly headTimeoutMs: number;
  /** The time that a connection may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /**
   * Responds to bytes that are not a request and ends the connection. It writes by hand, because there is no
   * response object.
   */
  readonly refuseHead: (error: HeadError, socket: Duplex) => void;
  /** Whether clients may speak HTTP/2: by agreement with TLS, or from the first byte without. False by default. */
  readonly speaksHttp2?: boolean;
  /** Further options of Node's server. */
  readonly node?: Pick<ServerOptions, 'requireHostHeader' | 'shouldUpgradeCallback'>;
}

/** The longest interval at which Node looks for late heads, in milliseconds. */
const LATE_HEADS_CHECK_MS = 5_000;

/**
 * Returns an HTTP or HTTPS server that responds even to bytes that are not HTTP.
 *
 * There is no time limit on a whole request: its head has one, and the reader of its body has another, which
 * can choose the response.
 */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions): Server {
  const { tls, headTimeoutMs, keepAliveMs, refuseHead, node } = options;
  const serverOptions: ServerOptions = {
    requestTimeout: 0,
    // By default, Node would take this from `requestTimeout`, and heads would have no limit either.
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.min(LATE_HEADS_CHECK_MS, headTimeoutMs),
    keepAliveTimeout: keepAliveMs,
    noDelay: true,
    ...node,
  };
  const responses = new OpenResponses();
  const listen: RequestListener = (incoming, outgoing) => {
    responses.add(outgoing);
    // Each server on the way could believe another one: https://www.rfc-editor.org/rfc/rfc9112#section-3.2
    if (hasTwoHosts(incoming)) return refuseHead(new TwoHosts(), incoming.socket);
    listener(incoming, outgoing);
  };
  const server = tls
    ? process
        .getBuiltinModule('node:https')
        .createServer({ ...serverOptions, ...secureOptions(tls), ...protocols(options) }, listen)
    : createServer(serverOptions, listen);
  // Counting connections adds a listener for this event, and with any listener Node no longer handles the
  // request itself.
  server.on('checkContinue', listen);
  // Unknown expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  server.on('checkExpectation', listen);
  server.on('clientError', (error: HeadError, socket) => {
    // After the beginning of a response, the client would not read an error as one.
    if (error.code === 'ECONNRESET' || !socket.writable || responses.hasBegun(socket)) socket.destroy();
    else refuseHead(error, socket);
  });
  if (options.speaksHttp2) addHttp2(server, listener, options);
  return server;
}

/**
 * Makes the server distinguish HTTP/2 from HTTP/1.1, by the protocol agreed on with TLS or by the first bytes
 * of each connection; Node's own listener gets HTTP/1.1 connections.
 */
function addHttp2(server: Server, listener: RequestListener, options: HttpServerOptions): void {
  const { headTimeoutMs: timeoutMs, keepAliveMs, refuseHead } = options;
  const event = isTlsServer(server) ? 'secureConnection' : 'connection';
  const [accept] = server.listeners(event) as ((socket: Socket) => void)[];
  const onHttp2 = createHttp2Side({
    listener,
    keepAliveMs,
    onSession: (session) => server.emit('session', session),
  });
  server.removeAllListeners(event);
  if (isTlsServer(server)) {
    server.on(event, (socket: TLSSocket) =>
      socket.alpnProtocol === 'h2' ? onHttp2(socket) : accept!.call(server, socket),
    );
    return;
  }
  server.on(event, (socket: Socket) =>
    switchVersion(socket, {
      timeoutMs,
      onHttp1: (known) => accept!.call(server, known),
      onHttp2,
      onLate: (late) => refuseHead(new LateHead(), late),
    }),
  );
}

/** Has the code of Node's own error. */
class LateHead extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

function protocols({ speaksHttp2 = false }: HttpServerOptions) {
  return speaksHttp2 ? { ALPNProtocols: ['h2', 'http/1.1'] } : {};
}

class TwoHosts extends Error {
  readonly code = 'TWO_HOSTS';
}

function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** The unfinished exchanges of each connection. */
class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, ServerResponse[]>();

  add(outgoing: ServerResponse): void {
    const { socket } = outgoing.req;
    const open = this.#ofSocket.get(socket);
    if (open) open.push(outgoing);
    else this.#ofSocket.set(socket, [outgoing]);
    // `close` happens once, and `once` costs three times as much.
    outgoing.on('close', () => {
      if (isOver(outgoing)) this.#forget(outgoing, socket);
      // The rest of the request may still arrive.
      else outgoing.req.on('close', () => this.#forget(outgoing, socket));
    });
  }

  /**
   * Whether bytes of a response were written in an unfinished exchange. The client would read any further
   * bytes as part of that response, or as the response to its next request.
   */
  hasBegun(socket: Duplex): boolean {
    const open = this.#ofSocket.get(socket) ?? [];
    return open.some((outgoing) => outgoing.headersSent && !isOver(outgoing));
  }

  #forget(outgoing: ServerResponse, socket: Duplex): void {
    const open = this.#ofSocket.get(socket);
    const at = open?.indexOf(outgoing) ?? -1;
    if (at >= 0) open!.splice(at, 1);
  }
}

function isOver(outgoing: ServerResponse): boolean {
  return outgoing.writableFinished && outgoing.req.complete;
}

/**
 * The parts of `node:http` that the services need. An `import` would load all of its exports, including a
 * WebSocket library, which takes a tenth of a service's start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** The options of separating connections by their HTTP version. */
interface VersionSwitch {
  /** The time in which the first bytes must arrive, in milliseconds. */
  readonly timeoutMs: number;
  readonly onHttp1: (socket: Socket) => void;
  readonly onHttp2: (socket: Socket) => void;
  /** Called when no bytes arrived in time. */
  readonly onLate: (socket: Socket) => void;
}

/**
 * The beginning of every HTTP/2 connection, which is not a method of HTTP/1.1. Source:
 * https://www.rfc-editor.org/rfc/rfc9113#section-3.4
 */
const PREFACE = Buffer.from('PRI');

/**
 * Reads the first bytes of a connection and passes it, with these bytes, to the handler of its version.
 * Clients without TLS may begin with HTTP/2 if they know that the server supports it.
 */
function switchVersion(socket: Socket, { timeoutMs, onHttp1, onHttp2, onLate }: VersionSwitch): void {
  let first: Buffer = Buffer.alloc(0);
  const forget = () => {
    socket.off('data', onData).off('error', onError).off('close', forget).off('timeout', onTimeout);
    socket.setTimeout(0);
  };
  const onError = () => socket.destroy();
  const onTimeout = () => {
    forget();
    onLate(socket);
  };
  const onData = (piece: Buffer) => {
    first = first.length === 0 ? piece : Buffer.concat([first, piece]);
    const length = Math.min(first.length, PREFACE.length);
    const mayBeHttp2 = first.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (mayBeHttp2 && length < PREFACE.length) return;
    forget();
    // The next listener reads the bytes that are put back.
    socket.pause();
    socket.unshift(first);
    if (mayBeHttp2) onHttp2(socket);
    else onHttp1(socket);
    process.nextTick(() => socket.resume());
  };
  socket.setTimeout(timeoutMs);
  socket.on('data', onData).on('error', onError).on('close', forget).on('timeout', onTimeout);
}
