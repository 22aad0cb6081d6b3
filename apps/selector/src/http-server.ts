import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '@winnow/contract';
import { OpenAnswers } from '@winnow/service';
import { errorAnswer } from './exchange.ts';
import { SelectorError } from './selector-error.ts';
import type { TlsMaterial } from './tls-files.ts';

/** How connections are treated. */
export interface HttpServerOptions {
  readonly tls: TlsMaterial | undefined;
  /** How long the head of a request may take to arrive, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a connection may be idle between requests, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  readonly makeId: () => string;
}

/** How often Node looks for heads that are late, in milliseconds, at most. */
const LATE_HEADS_CHECK_MS = 5_000;

/** An HTTP or HTTPS server that answers even what is not HTTP with an error of the contract. */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions): Server {
  const serverOptions = {
    headersTimeout: options.requestTimeoutMs,
    // The body has a timer of its own, whose answer has a request id and reaches the log.
    requestTimeout: 0,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(LATE_HEADS_CHECK_MS, options.requestTimeoutMs),
    noDelay: true,
    // Node would answer a missing host by itself, without a body; the routes' answer has one.
    requireHostHeader: false,
  };
  const answers = new OpenAnswers();
  const listen: RequestListener = (incoming, outgoing) => {
    answers.add(outgoing);
    listener(incoming, outgoing);
  };
  const server = options.tls
    ? createSecureServer({ ...serverOptions, ...tlsOptions(options.tls) }, listen)
    : createServer(serverOptions, listen);
  // A client that asks before it sends a body is answered by the same routes, which let it go on when they want the body.
  server.on('checkContinue', listen);
  // Other expectations may be ignored: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
  server.on('checkExpectation', listen);
  server.on('clientError', (error, socket) => {
    // Behind the beginning of an answer, an error would not be read as one.
    if (answers.hasBegun(socket)) socket.destroy();
    else refuseHead(error, socket as Socket, options.makeId);
  });
  return server;
}

function tlsOptions(tls: TlsMaterial) {
  return {
    ...tls,
    minVersion: 'TLSv1.2' as const,
    requestCert: tls.ca !== undefined,
    rejectUnauthorized: tls.ca !== undefined,
  };
}

function whyUnreadable({ code }: NodeJS.ErrnoException): string {
  return code === 'HPE_HEADER_OVERFLOW'
    ? "The request's headers are larger than 16 KiB."
    : 'The request is not valid HTTP.';
}

/** Answers a request whose head cannot be read; there is no request to hang the answer on, so it is written by hand. */
function refuseHead(error: NodeJS.ErrnoException, socket: Socket, makeId: () => string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const code: ErrorCode = isLate ? 'request_timeout' : 'invalid_request';
  const message = isLate ? 'The request did not arrive in time.' : whyUnreadable(error);
  const { body } = errorAnswer(new SelectorError(code, message));
  const head = [
    `HTTP/1.1 ${ERRORS[code]} ${isLate ? 'Request Timeout' : 'Bad Request'}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${makeId()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
