import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isWebSocket, refuseUpgrade } from './app.ts';
import { refuseHead } from './refuse-head.ts';

/** How long connections may wait, in milliseconds. */
export interface HttpServerOptions {
  /** For the head of a request to arrive. */
  readonly headTimeoutMs: number;
  /** Between requests. */
  readonly keepAliveMs: number;
}

/** How often Node looks for heads that are late, in milliseconds, at most. */
const LATE_HEADS_CHECK_MS = 10_000;

/**
 * An HTTP server that answers even what is not HTTP with an error that clients can read.
 *
 * The time of a whole request has no limit, as the models' time is theirs; its head has one, and who reads its body has another.
 */
export function createHttpServer(
  listener: RequestListener,
  { headTimeoutMs, keepAliveMs }: HttpServerOptions,
): Server {
  const answers = new OpenAnswers();
  const server = createServer(
    {
      requestTimeout: 0,
      // Without a number, Node would take it from `requestTimeout`, and heads would have no limit either.
      headersTimeout: headTimeoutMs,
      connectionsCheckingInterval: Math.min(LATE_HEADS_CHECK_MS, headTimeoutMs),
      keepAliveTimeout: keepAliveMs,
      noDelay: true,
      shouldUpgradeCallback: isWebSocket,
    },
    (incoming, outgoing) => {
      answers.add(incoming.socket, outgoing);
      listener(incoming, outgoing);
    },
  );
  server.on('upgrade', refuseUpgrade);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // An error between the bytes of another answer would be read as a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseHead(error, socket);
  });
  return server;
}

/** The answers that are not over, of each connection. */
class OpenAnswers {
  readonly #ofSocket = new WeakMap<Duplex, Set<ServerResponse>>();

  add(socket: Duplex, outgoing: ServerResponse): void {
    const open = this.#ofSocket.get(socket) ?? new Set();
    this.#ofSocket.set(socket, open.add(outgoing));
    outgoing.once('close', () => open.delete(outgoing));
  }

  /** Whether bytes of an answer may have been written that is not whole. */
  hasBegun(socket: Duplex): boolean {
    for (const outgoing of this.#ofSocket.get(socket) ?? []) {
      if (outgoing.headersSent) return true;
    }
    return false;
  }
}
