import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_ERRORS, type CommonErrorCode, type ErrorDetail } from '@winnow/core';
import { discardRest } from '../bodies/read-away.ts';
import type { HeadError } from '../create-http-server.ts';
import { describeError, type Log, type LogFields } from '../log.ts';
import { type MetricsRegistry, SHARED } from '../metrics/metrics-registry.ts';
import { readTraceHeaders, SILENT_SPAN, type Span, type Tracer } from '../tracing/span.ts';
import { ApiError, ClientGone, commonError } from './api-error.ts';

/** The response of a route: plain data, written in one place. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response whose body is streamed after the head. */
export interface RouteStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Writes and ends the body. Called once, after the head is written; must not throw. */
  readonly stream: (outgoing: ServerResponse) => void;
}

/** One request in the service. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  /** The request's span in a trace. */
  readonly span: Span;
  /** The fields that the route adds to the request's log line. */
  facts: LogFields;
}

type RouteAnswer = RouteResponse | RouteStream;

/** A handler of requests. */
export interface Route {
  /** Its name in metrics and logs. */
  readonly name: string;
  /** Whether its requests have no log line unless they fail by a defect: probes and scrapes come every few seconds. */
  readonly isQuiet?: boolean;
  /** Its path, if its requests appear in traces. */
  readonly tracedPath?: string;
  /** Throws an `ApiError` for a response that is not 2xx, and `ClientGone` when the client has left. */
  handle(exchange: Exchange): RouteAnswer | Promise<RouteAnswer>;
}

/** Counts every exchange. */
export interface ExchangeMetrics {
  countRequest(route: string, status: number, durationMs: number): void;
  /** Counts an error by its code. */
  countRefusal(code: string): void;
}

/** Writes the body of an error's response. */
export type WriteError = (error: ApiError) => unknown;

/** The context of every exchange. */
export interface ExchangeContext {
  readonly log: Log;
  readonly metrics: ExchangeMetrics;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  readonly makeId: () => string;
  readonly tracer: Tracer;
  readonly isDraining: () => boolean;
  /** Writes the body of an error; `{error: {code, message, details}}` by default. */
  readonly writeError?: WriteError;
}

/** The most bytes to read after a refusal: more than are ever in transit between two hosts. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The status in logs and metrics for a client that left before its response. */
const CLIENT_GONE_STATUS = 499;

/**
 * Runs one request through its route and writes the response. Errors become responses only here, and only
 * here is a request logged, counted and traced. Never rejects.
 */
export async function runExchange(
  route: Route,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: ExchangeContext,
): Promise<void> {
  const startedAt = context.now();
  const requestId = requestIdOf(incoming.headers['x-request-id'], context.makeId);
  const span = startSpan(route, incoming, context.tracer);
  const exchange: Exchange = { incoming, outgoing, requestId, span, facts: {} };
  const { response, error } = await settle(route, exchange, context.writeError);
  if (response) write(response, exchange, context.isDraining());
  const status = response?.status ?? CLIENT_GONE_STATUS;
  const durationMs = context.now() - startedAt;
  context.metrics.countRequest(route.name, status, durationMs);
  if (status >= 400 && response) context.metrics.countRefusal(codeOf(error));
  logRequest(route, exchange, { status, durationMs, error }, context.log);
  endSpan(exchange, status, error);
}

export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}): RouteResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/**
 * Returns the response for an error. Any error other than an `ApiError` is a defect, and its response has no
 * details.
 */
export function errorResponse(error: unknown, write: WriteError = writeOwnError): RouteResponse {
  const known = error instanceof ApiError ? error : commonError('internal', 'The service failed to respond.');
  return { ...jsonResponse(write(known), known.headers), status: known.status };
}

/** Writes the body of an error in the common form. */
export function writeOwnError({ code, message, details }: ApiError): unknown {
  const body: { code: string; message: string; details?: readonly ErrorDetail[] } = { code, message };
  if (details.length > 0) body.details = details;
  return { error: body };
}

function startSpan({ tracedPath }: Route, incoming: IncomingMessage, tracer: Tracer): Span {
  if (tracedPath === undefined) return SILENT_SPAN;
  const { method = 'GET', headers } = incoming;
  return tracer.start(`${method} ${tracedPath}`, 'server', readTraceHeaders(headers), {
    'http.request.method': method,
    'http.route': tracedPath,
    'url.path': tracedPath,
  });
}

/**
 * Ends the span. It fails only for errors of the service, not for the client's errors or a client that has
 * left.
 */
function endSpan({ span, requestId }: Exchange, status: number, error: unknown): void {
  const isAnswered = status !== CLIENT_GONE_STATUS;
  span.set({
    'http.response.status_code': isAnswered ? status : undefined,
    'winnow.outcome': isAnswered ? 'answered' : 'client_gone',
    'winnow.request_id': requestId,
  });
  if (error instanceof ApiError) span.set({ 'error.type': error.code });
  if (status >= 500) span.fail(codeOf(error));
  span.end();
}

async function settle(
  route: Route,
  exchange: Exchange,
  writeError: WriteError | undefined,
): Promise<{ response?: RouteAnswer; error?: unknown }> {
  try {
    return { response: await route.handle(exchange) };
  } catch (error) {
    return error instanceof ClientGone ? { error } : { response: errorResponse(error, writeError), error };
  }
}

function write(
  response: RouteAnswer,
  { incoming, outgoing, requestId }: Exchange,
  isDraining: boolean,
): void {
  const headers: Record<string, string | number> = { ...response.headers, 'x-request-id': requestId };
  if ('body' in response) headers['content-length'] = Buffer.byteLength(response.body);
  // An unfinished body that stopped arriving cannot be skipped to reach the next request on the connection.
  const isStuck = response.status === COMMON_ERRORS.request_timeout;
  if (isDraining || isStuck) headers.connection = 'close';
  if (!incoming.complete && !isStuck) discardRest(incoming, MAX_DISCARDED_BYTES);
  outgoing.writeHead(response.status, headers);
  if (incoming.method === 'HEAD') outgoing.end();
  else if ('body' in response) outgoing.end(response.body);
  else response.stream(outgoing);
}

/** The end of an exchange. */
interface Ending {
  readonly status: number;
  readonly durationMs: number;
  readonly error: unknown;
}

function logRequest(route: Route, exchange: Exchange, ending: Ending, log: Log): void {
  const { status, durationMs, error } = ending;
  const isDefect = status === COMMON_ERRORS.internal;
  const fields: LogFields = {
    requestId: exchange.requestId,
    route: route.name,
    status,
    durationMs: threeDecimals(durationMs),
    ...exchange.facts,
    ...(error instanceof ApiError && { code: error.code }),
    ...(isDefect && describeError(rootOf(error))),
  };
  if (isDefect) log.write('error', 'request', fields);
  else if (route.isQuiet !== true) log.write('info', 'request', fields);
}

/** Returns an error's code. Any error other than an `ApiError` is a defect. */
function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'internal';
}

/** Returns the cause of a defect in a worker, which arrives wrapped in the error of its requests. */
function rootOf(error: unknown): unknown {
  return error instanceof ApiError && error.cause !== undefined ? error.cause : error;
}

const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns the id of a request: the caller's own if it is safe to log and to send back, otherwise a new one.
 */
function requestIdOf(header: string | string[] | undefined, makeId: () => string): string {
  return typeof header === 'string' && SANE_ID.test(header) ? header : makeId();
}

/** The state that is read when metrics are collected, and the parameters of a service's request metrics. */
export interface ExchangeMetricsOptions {
  /** Codes of all errors of the service. */
  readonly codes: readonly string[];
  /** Upper bounds of the durations of requests, in seconds. */
  readonly secondsBuckets: readonly number[];
  /** Returns the number of requests being received or answered. */
  readonly waiting: () => number;
  /** Returns the number of held bytes of bodies. */
  readonly heldBytes: () => number;
}

/** Adds the metrics that every service has of its requests. */
export function createExchangeMetrics(
  registry: MetricsRegistry,
  { codes, secondsBuckets, waiting, heldBytes }: ExchangeMetricsOptions,
): ExchangeMetrics {
  const gauges = {
    waiting_requests: ['Requests being received or answered.', waiting],
    held_body_bytes: ['Memory of bodies being received or answered, in bytes.', heldBytes],
  } as const;
  registry.watch(gauges, SHARED);
  const table = {
    requests_total: { help: 'Responses by route and status.', labels: ['route', 'status'] },
    request_seconds: {
      help: 'Time from the head of a request to the end of its response, or to the head of a stream.',
      labels: ['route'],
      buckets: secondsBuckets,
    },
    refused_total: { help: 'Requests that got an error, by its code.', labels: ['code'], known: codes },
  } as const;
  const measures = registry.add(table, SHARED);
  return {
    countRequest(route, status, durationMs) {
      measures.requests_total.inc({ route, status });
      measures.request_seconds.observe({ route }, durationMs / 1_000);
    },
    countRefusal: (code) => measures.refused_total.inc({ code }),
  };
}

/**
 * Responds to a request whose head cannot be read. The response is written by hand, because Node has no
 * request and response objects for it.
 */
export function refuseHead(
  { code: cause }: HeadError,
  socket: Duplex,
  { makeId, writeError }: { readonly makeId: () => string; readonly writeError?: WriteError | undefined },
): void {
  const isLate = cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  const code: CommonErrorCode = isLate ? 'request_timeout' : 'invalid_request';
  const message = isLate ? 'The request did not arrive in time.' : whyUnreadable(cause);
  const { body } = errorResponse(commonError(code, message), writeError);
  const head = [
    `HTTP/1.1 ${COMMON_ERRORS[code]} ${isLate ? 'Request Timeout' : 'Bad Request'}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${makeId()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function whyUnreadable(cause: string | undefined): string {
  return cause === 'HPE_HEADER_OVERFLOW'
    ? "The request's headers are larger than 16 KiB."
    : 'The request is not valid HTTP.';
}

/** Rounds a number to three decimals, which is precise enough for milliseconds and scores. */
export function threeDecimals(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
