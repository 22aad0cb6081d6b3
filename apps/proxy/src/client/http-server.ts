import { createServer, type RequestListener, type Server } from 'node:http';
import { OpenAnswers } from '@winnow/service';
import { isWebSocket, refuseUpgrade } from '../app.ts';
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
  const listen: RequestListener = (incoming, outgoing) => {
    answers.add(outgoing);
    listener(incoming, outgoing);
  };
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
    listen,
  );
  // As soon as anybody listens for it, as whoever counts connections does, Node leaves the request to its listeners.
  server.on('checkContinue', listen);
  // Expectations that are not known may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  server.on('checkExpectation', listen);
  server.on('upgrade', refuseUpgrade);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Behind the beginning of an answer, an error would not be read as one.
    if (error.code === 'ECONNRESET' || !socket.writable || answers.hasBegun(socket)) socket.destroy();
    else refuseHead(error, socket);
  });
  return server;
}
