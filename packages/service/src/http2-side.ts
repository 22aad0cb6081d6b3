import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** The treatment of HTTP/2 sessions. */
export interface Http2Options {
  readonly listener: RequestListener;
  /** The time that a session may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** Called with every session. */
  readonly onSession: (session: ServerHttp2Session) => void;
}

/** The largest head of a request, in bytes: Node's limit for HTTP/1.1. */
const MOST_HEADER_BYTES = 16 * 1024;
/** The most fields of a head. Its bytes limit their content, but each field takes additional memory. */
const MOST_HEADERS = 256;
/** The most concurrent requests of one session. */
const MOST_STREAMS = 100;
/**
 * The most requests that a session may cancel at once, and then per second: twice its concurrent requests.
 * Each is received before it is cancelled, and with Node's own limit of 1,000, a few connections could fill
 * the memory.
 */
const [MOST_RESETS, RESETS_PER_SECOND] = [200, 33];

/**
 * Returns a handler that serves HTTP/2 connections with the same listener. Its requests and responses come
 * from Node's compatibility layer, changed to read like those of HTTP/1.1. Node limits the memory of a
 * session, and ends one that resets its requests too often.
 *
 * The module is loaded with the first such connection.
 */
export function createHttp2Side({
  listener,
  keepAliveMs,
  onSession,
}: Http2Options): (socket: Socket) => void {
  let accept: ((socket: Socket) => void) | undefined;
  return (socket) => {
    accept ??= createAccept();
    accept(socket);
  };

  function createAccept(): (socket: Socket) => void {
    const { createServer, constants } = process.getBuiltinModule('node:http2');
    const settings = {
      maxConcurrentStreams: MOST_STREAMS,
      maxHeaderListSize: MOST_HEADER_BYTES,
      enablePush: false,
    };
    const server = createServer({
      settings,
      maxHeaderListPairs: MOST_HEADERS,
      maxSessionMemory: 32,
      streamResetBurst: MOST_RESETS,
      streamResetRate: RESETS_PER_SECOND,
    });
    server.on('session', (session) => {
      let open = 0;
      session.on('stream', (stream) => {
        open += 1;
        stream.once('close', () => {
          open -= 1;
        });
      });
      // A model may think for many minutes without sending a byte.
      session.setTimeout(keepAliveMs, () => {
        if (open === 0) session.close();
      });
      session.on('error', () => session.destroy());
      onSession(session);
    });
    // A client's protocol error has already ended its session.
    server.on('sessionError', () => {});
    server.on('request', (incoming, outgoing) => {
      const { stream } = outgoing;
      const cut = () => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      // After a complete response, the rest of the request is not needed:
      // https://www.rfc-editor.org/rfc/rfc9113#section-8.1
      stream.once('finish', () => {
        if (!stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
      });
      // A request that is cancelled at once reports it before any listener exists, and its reader would wait
      // forever.
      setImmediate(() => {
        if (!stream.destroyed) listener(asHttp1(incoming), asResponse(outgoing, cut));
      });
    });
    return (socket) => {
      // A client that ends its side of the connection has left, as for any HTTP/2 server. For HTTP/1.1, the
      // parser decides.
      socket.allowHalfOpen = false;
      server.emit('connection', socket);
    };
  }
}

/** Returns a request without HTTP/2's pseudo-headers, and with HTTP/1.1's headers for host and body. */
function asHttp1(incoming: Http2ServerRequest): IncomingMessage {
  const { rawHeaders, headers, stream } = incoming;
  const raw: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!rawHeaders[at]!.startsWith(':')) raw.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  const plain: Record<string, unknown> = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(':')),
  );
  const host = headers.host ?? headers[':authority'];
  if (host !== undefined && headers.host === undefined) {
    plain.host = host;
    raw.push('host', String(host));
  }
  const hasBody = !stream.endAfterHeaders;
  if (hasBody && headers['content-length'] === undefined) plain['transfer-encoding'] = 'chunked';
  Object.defineProperty(incoming, 'rawHeaders', { value: raw });
  Object.defineProperty(incoming, 'headers', { value: plain });
  return incoming as unknown as IncomingMessage;
}

/** Headers that HTTP/2 forbids. Source: https://www.rfc-editor.org/rfc/rfc9113#section-8.2.2 */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns a response whose head may contain HTTP/1.1's connection headers. If it is destroyed early, its
 * client sees an error.
 */
function asResponse(outgoing: Http2ServerResponse, cut: () => void): ServerResponse {
  const writeHead = outgoing.writeHead.bind(outgoing) as (status: number, headers: object) => unknown;
  const changed = {
    writeHead: (status: number, headers: readonly string[] | Record<string, unknown> = []) =>
      writeHead(status, grouped(headers)),
    destroy: () => {
      cut();
      return outgoing;
    },
  };
  // A request that its client resets is ended on both sides, but the response is not complete.
  const { stream } = outgoing;
  Object.defineProperty(outgoing, 'writableFinished', {
    get: () => stream.writableFinished && !stream.aborted,
  });
  return Object.assign(outgoing, changed) as unknown as ServerResponse;
}

/** Returns headers by lower-case name; a repeated header has a list of values. */
function grouped(headers: readonly string[] | Record<string, unknown>): Record<string, unknown> {
  const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers);
  const byName: Record<string, unknown> = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (OF_CONNECTION.has(key)) continue;
    byName[key] = byName[key] === undefined ? value : [byName[key], value].flat();
  }
  return byName;
}

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1]!]] : []));
}
