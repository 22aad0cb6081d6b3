import type { IncomingMessage, ServerResponse } from 'node:http';
import { COMMON_ERRORS, type ErrorDetail } from '@winnow/contract';
import { readTraceHeaders, SILENT_SPAN, type Span, type Tracer } from '@winnow/tracing';
import { discardRest } from '../bodies/discard-rest.ts';
import { describeError, type Log, type LogFields, type LogLevel } from '../log.ts';
import { ApiError, commonError } from './api-error.ts';
import { ClientGone } from './client-gone.ts';
import { requestIdOf } from './request-id.ts';
import { threeDecimals } from './three-decimals.ts';

/** What a route responds with: plain data, written in one place. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response whose body comes bit by bit, after the head. */
export interface RouteStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the body, and ends it. Called once, when the head is written; must not throw. */
  readonly stream: (outgoing: ServerResponse) => void;
}

/** One request on its way through the service. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  /** The request in a trace. */
  readonly span: Span;
  /** What the route adds to the request's log line. */
  facts: LogFields;
}

type RouteAnswer = RouteResponse | RouteStream;

/** One way to respond. */
export interface Route {
  /** As metrics and logs call it. */
  readonly name: string;
  /** The level of its log line when all is well: probes and scrapes come every few seconds and say nothing. */
  readonly logLevel: LogLevel;
  /** Its path, when its requests are to be seen in traces. */
  readonly tracedPath?: string;
  /** Throws an `ApiError` for a response that is not 2xx, and `ClientGone` when there is nobody to respond to. */
  handle(exchange: Exchange): RouteAnswer | Promise<RouteAnswer>;
}

/** Counts every exchange. */
export interface ExchangeMetrics {
  countRequest(route: string, status: number, durationMs: number): void;
  /** Why a request got an error. */
  countRefusal(code: string): void;
}

/** The body of an error's response. */
export type WriteError = (error: ApiError) => unknown;

/** What every exchange needs. */
export interface ExchangeContext {
  readonly log: Log;
  readonly metrics: ExchangeMetrics;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly makeId: () => string;
  readonly tracer: Tracer;
  readonly isDraining: () => boolean;
  /** The form of errors; `{error: {code, message, details}}` when it is missing. */
  readonly writeError?: WriteError;
}

/** What may come after a refusal, in bytes: more than lies between two hosts at any time. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The status that logs and metrics show when the client left before its response. */
const CLIENT_GONE_STATUS = 499;

/**
 * Runs one request through its route and writes the response: the one place where errors become responses, and where a request
 * is logged, counted and traced. Never rejects.
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

/** A JSON response. */
export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}): RouteResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** The response that an error becomes. What is not an `ApiError` is a defect and says nothing of itself. */
export function errorResponse(error: unknown, write: WriteError = writeOwnError): RouteResponse {
  const known = error instanceof ApiError ? error : commonError('internal', 'The service failed to answer.');
  return { ...jsonResponse(write(known), known.headers), status: known.status };
}

/** Our own form of errors. */
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

/** An error of the client's is none of the service's; one that has left has none either. */
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
  // A body that stopped coming cannot be skipped to reach the next request on the connection.
  const isStuck = response.status === COMMON_ERRORS.request_timeout;
  if (isDraining || isStuck) headers.connection = 'close';
  if (!incoming.complete && !isStuck) discardRest(incoming, MAX_DISCARDED_BYTES);
  outgoing.writeHead(response.status, headers);
  if (incoming.method === 'HEAD') outgoing.end();
  else if ('body' in response) outgoing.end(response.body);
  else response.stream(outgoing);
}

/** How an exchange ended. */
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
  log.write(isDefect ? 'error' : route.logLevel, 'request', fields);
}

/** What is no `ApiError` is a defect. */
function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'internal';
}

/** A defect in a worker arrives wrapped in the error that its requests get. */
function rootOf(error: unknown): unknown {
  return error instanceof ApiError && error.cause !== undefined ? error.cause : error;
}
