import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type ErrorAnswer, type ErrorCode } from '@winnow/contract';
import { discardRest } from '@winnow/service';
import { readTraceHeaders, SILENT_SPAN, type Span, type Tracer } from '@winnow/tracing';
import { ClientGone } from './client-gone.ts';
import { describeError, type Log, type LogFields, type LogLevel } from './log.ts';
import type { Metrics } from './metrics.ts';
import { requestIdOf } from './request-id.ts';
import { SelectorError } from './selector-error.ts';

/** What a route answers: plain data, written in one place. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

/** One way to answer. */
export interface Route {
  /** As metrics and logs call it. */
  readonly name: string;
  /** The level of its log line when all is well: probes and scrapes come every few seconds and say nothing. */
  readonly logLevel: LogLevel;
  /** Its path, when its requests are to be seen in traces. */
  readonly tracedPath?: string;
  /** Throws `SelectorError` for an answer that is not 2xx, and `ClientGone` when there is nobody to answer. */
  handle(exchange: Exchange): Answer | Promise<Answer>;
}

/** What every exchange needs. */
export interface ExchangeContext {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly makeId: () => string;
  readonly tracer: Tracer;
  readonly isDraining: () => boolean;
}

/** What may come after a refusal, in bytes: more than lies between two hosts at any time. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The status that logs and metrics show when the client left before its answer. */
const CLIENT_GONE_STATUS = 499;

/**
 * Runs one request through its route and writes the answer: the one place where errors become answers, and where a request
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
  const { answer, error } = await settle(route, exchange);
  if (answer) write(answer, exchange, context.isDraining());
  const status = answer?.status ?? CLIENT_GONE_STATUS;
  const durationMs = context.now() - startedAt;
  context.metrics.countRequest(route.name, status, durationMs);
  if (status >= 400 && answer) context.metrics.countRefusal(codeOf(error));
  report(route, exchange, { status, durationMs, error }, context.log);
  endSpan(exchange, status, error);
}

/** A JSON answer. */
export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

/** The answer that an error becomes. What is not a `SelectorError` is a defect and says nothing of itself. */
export function errorAnswer(error: unknown): Answer {
  const known =
    error instanceof SelectorError ? error : new SelectorError('internal', 'The selector failed to answer.');
  const body: ErrorAnswer = { error: { code: known.code, message: known.message } };
  if (known.details.length > 0) body.error.details = [...known.details];
  return { ...jsonAnswer(body, known.headers), status: ERRORS[known.code] };
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
  if (error instanceof SelectorError) span.set({ 'error.type': error.code });
  if (status >= 500) span.fail(codeOf(error));
  span.end();
}

async function settle(route: Route, exchange: Exchange): Promise<{ answer?: Answer; error?: unknown }> {
  try {
    return { answer: await route.handle(exchange) };
  } catch (error) {
    return error instanceof ClientGone ? { error } : { answer: errorAnswer(error), error };
  }
}

function write(answer: Answer, { incoming, outgoing, requestId }: Exchange, isDraining: boolean): void {
  const headers: Record<string, string | number> = {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
    'x-request-id': requestId,
  };
  // A body that stopped coming cannot be skipped to reach the next request on the connection.
  const isStuck = answer.status === ERRORS.request_timeout;
  if (isDraining || isStuck) headers.connection = 'close';
  if (!incoming.complete && !isStuck) discardRest(incoming, MAX_DISCARDED_BYTES);
  outgoing.writeHead(answer.status, headers);
  outgoing.end(incoming.method === 'HEAD' ? undefined : answer.body);
}

/** How an exchange ended. */
interface Ending {
  readonly status: number;
  readonly durationMs: number;
  readonly error: unknown;
}

function report(route: Route, exchange: Exchange, ending: Ending, log: Log): void {
  const { status, durationMs, error } = ending;
  const isDefect = status === ERRORS.internal;
  const fields: LogFields = {
    requestId: exchange.requestId,
    route: route.name,
    status,
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    ...exchange.facts,
    ...(error instanceof SelectorError && { code: error.code }),
    ...(isDefect && describeError(rootOf(error))),
  };
  log.write(isDefect ? 'error' : route.logLevel, 'request', fields);
}

/** What is no `SelectorError` is a defect. */
function codeOf(error: unknown): ErrorCode {
  return error instanceof SelectorError ? error.code : 'internal';
}

/** A defect in a worker arrives wrapped in the error that its requests are answered with. */
function rootOf(error: unknown): unknown {
  return error instanceof SelectorError && error.cause !== undefined ? error.cause : error;
}
