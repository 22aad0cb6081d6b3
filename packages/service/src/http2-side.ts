import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** How sessions of HTTP/2 are treated. */
export interface Http2Options {
  readonly listener: RequestListener;
  /** How long a session may be idle between requests, in milliseconds. */
  readonly keepAliveMs: number;
  /** Told of every session. */
  readonly onSession: (session: ServerHttp2Session) => void;
}

/** The largest head of a request, in bytes: as Node takes it for HTTP/1.1. */
const MOST_HEADER_BYTES = 16 * 1024;
/** Fields of a head: its bytes bound what they hold, and each takes some beside. */
const MOST_HEADERS = 256;
/** Requests of one session at a time. */
const MOST_STREAMS = 100;
/**
 * Requests that a session may take back at once, and then in a second: as many as it may have, twice. Each is received before it is taken back, and
 * Node's own 1,000 are enough for a few connections to fill the memory.
 */
const [MOST_RESETS, RESETS_PER_SECOND] = [200, 33];

/**
 * What speaks HTTP/2 with connections that begin with it, to the same listener: its requests and responses are those of Node's own compatibility
 * layer, made to read like those of HTTP/1.1 where they differ. Node bounds what a session may hold, and ends one that resets its requests too often.
 *
 * Nothing of it is loaded before the first such connection.
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
      // A model may think for many minutes, in which nothing passes.
      session.setTimeout(keepAliveMs, () => {
        if (open === 0) session.close();
      });
      session.on('error', () => session.destroy());
      onSession(session);
    });
    // What a client does wrong has ended its session already.
    server.on('sessionError', () => {});
    server.on('request', (incoming, outgoing) => {
      const { stream } = outgoing;
      const cut = () => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      // Of a request that has its response already, nothing more is wanted: https://www.rfc-editor.org/rfc/rfc9113#section-8.1
      stream.once('finish', () => {
        if (!stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
      });
      // What is taken back in the same breath says so before anybody can listen, and whoever came to read it would wait for ever.
      setImmediate(() => {
        if (!stream.destroyed) listener(asHttp1(incoming), asResponse(outgoing, cut));
      });
    });
    return (socket) => {
      // A client that ends its side of the connection has left, as for any server of HTTP/2. Those of HTTP/1.1 leave it to their parser.
      socket.allowHalfOpen = false;
      server.emit('connection', socket);
    };
  }
}

/** A request without what HTTP/2 has in place of a request line, and with what HTTP/1.1 says of host and body. */
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

/** Headers that HTTP/2 has no place for. Source: https://www.rfc-editor.org/rfc/rfc9113#section-8.2.2 */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** A response whose head may have what HTTP/1.1 says of its connection, and whose end before its end is an error to its client. */
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
  // A request that its client resets is ended on both sides, which is no end of ours.
  const { stream } = outgoing;
  Object.defineProperty(outgoing, 'writableFinished', {
    get: () => stream.writableFinished && !stream.aborted,
  });
  return Object.assign(outgoing, changed) as unknown as ServerResponse;
}

/** Names in small letters; a header that is there several times has a list. */
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
