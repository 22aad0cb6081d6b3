import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createHttp2Side } from './http2-side.ts';
import { createServer } from './node-http.ts';
import { OpenResponses } from './open-responses.ts';
import { switchVersion } from './prior-knowledge.ts';
import type { ServerTls } from './tls/read-server-tls.ts';

/** What Node tells of bytes that are no request. */
export interface HeadError extends Error {
  readonly code?: string | undefined;
  /** The bytes that the parser was given last. */
  readonly rawPacket?: Buffer | undefined;
}

/** How connections are treated. */
export interface HttpServerOptions {
  readonly tls?: ServerTls | undefined;
  /** How long the head of a request may take to arrive, in milliseconds. */
  readonly headTimeoutMs: number;
  /** How long a connection may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** Writes a response to bytes that are no request by hand, as there is no request to hang it on, and ends the connection. */
  readonly refuseHead: (error: HeadError, socket: Duplex) => void;
  /** Whether it speaks HTTP/2 as well, to clients that begin with it on a connection without TLS. False by default. */
  readonly speaksHttp2?: boolean;
  /** What this server wants of Node besides. */
  readonly node?: Pick<ServerOptions, 'requireHostHeader' | 'shouldUpgradeCallback'>;
}

/** How often Node looks for heads that are late, in milliseconds, at most. */
const LATE_HEADS_CHECK_MS = 5_000;

/**
 * An HTTP or HTTPS server that responds even to what is not HTTP.
 *
 * The time of a whole request has no limit here: its head has one, and who reads its body has another, which knows what to respond.
 */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions): Server {
  const { tls, headTimeoutMs, keepAliveMs, refuseHead, node } = options;
  const serverOptions: ServerOptions = {
    requestTimeout: 0,
    // Without a number, Node would take it from `requestTimeout`, and heads would have no limit either.
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.min(LATE_HEADS_CHECK_MS, headTimeoutMs),
    keepAliveTimeout: keepAliveMs,
    noDelay: true,
    ...node,
  };
  const responses = new OpenResponses();
  const listen: RequestListener = (incoming, outgoing) => {
    responses.add(outgoing);
    listener(incoming, outgoing);
  };
  const server = tls
    ? process.getBuiltinModule('node:https').createServer({ ...serverOptions, ...secure(tls) }, listen)
    : createServer(serverOptions, listen);
  // As soon as anybody listens for it, as whoever counts connections does, Node leaves the request to its listeners.
  server.on('checkContinue', listen);
  // Expectations that are not known may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  server.on('checkExpectation', listen);
  server.on('clientError', (error: HeadError, socket) => {
    // Behind the beginning of a response, an error would not be read as one.
    if (error.code === 'ECONNRESET' || !socket.writable || responses.hasBegun(socket)) socket.destroy();
    else refuseHead(error, socket);
  });
  if (options.speaksHttp2) addHttp2(server, listener, options);
  return server;
}

/** Has the server look at the first bytes of each connection: Node's own listener gets those of HTTP/1.1. */
function addHttp2(server: Server, listener: RequestListener, options: HttpServerOptions): void {
  const { headTimeoutMs: timeoutMs, keepAliveMs, refuseHead } = options;
  const [accept] = server.listeners('connection') as ((socket: Socket) => void)[];
  const onHttp2 = createHttp2Side({
    listener,
    keepAliveMs,
    onSession: (session) => server.emit('session', session),
  });
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) =>
    switchVersion(socket, {
      timeoutMs,
      onHttp1: (known) => accept!.call(server, known),
      onHttp2,
      onLate: (late) => refuseHead(new LateHead(), late),
    }),
  );
}

/** As Node itself words it. */
class LateHead extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

function secure(tls: ServerTls) {
  return {
    ...tls,
    minVersion: 'TLSv1.2' as const,
    requestCert: tls.ca !== undefined,
    rejectUnauthorized: tls.ca !== undefined,
  };
}
