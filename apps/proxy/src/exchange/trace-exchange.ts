import { readTraceHeaders, type Span, type Tracer } from '@winnow/tracing';
import { errorCodeOf, PROXY_ERRORS } from '../http/proxy-error.ts';
import type { IncomingExchange } from './incoming-exchange.ts';

/** A request on its way, with its place in a trace. */
export interface TracedExchange extends IncomingExchange {
  /** The exchange itself; its steps are below it. */
  readonly span: Span;
}

/** Options of a span. */
export interface TraceOptions {
  readonly tracer: Tracer;
  /** Whether a format handles the path, and it may be told. Others may hold ids and worse. */
  readonly isKnownPath: boolean;
}

/** Runs an exchange within a span, below the one that the client names; rejects as `run` does. */
export function traceExchange(
  exchange: IncomingExchange,
  options: TraceOptions,
  run: (exchange: TracedExchange) => Promise<void>,
): Promise<void> {
  const traced = { ...exchange, span: startSpan(exchange, options) };
  // A span that is not recorded need not be ended: there is nothing to wait for.
  return traced.span.isRecorded ? watchExchange(traced, run) : run(traced);
}

async function watchExchange(
  exchange: TracedExchange,
  run: (exchange: TracedExchange) => Promise<void>,
): Promise<void> {
  const { span } = exchange;
  try {
    await run(exchange);
    noteStatus(span, exchange.response.status);
  } catch (error) {
    noteError(span, error, exchange);
    throw error;
  } finally {
    span.end();
  }
}

function startSpan({ request, target, head }: IncomingExchange, { tracer, isKnownPath }: TraceOptions): Span {
  const { method, headers } = request;
  const path = target.clientPath;
  return tracer.start(isKnownPath ? `${method} ${path}` : method, 'server', readTraceHeaders(headers), {
    'http.request.method': method,
    'http.route': isKnownPath ? path : undefined,
    'url.path': isKnownPath ? path : undefined,
    'winnow.request_id': head.requestId,
    'winnow.upstream': target.upstream.name,
    'gen_ai.provider.name': target.upstream.vendor.name,
  });
}

function noteStatus(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
}

/** A client that leaves is no failure; whatever else went wrong is about to become the response, unless that has begun. */
function noteError(span: Span, error: unknown, { response, signal }: IncomingExchange): void {
  if (signal.aborted) {
    span.set({ 'winnow.outcome': 'client_gone' });
    return;
  }
  const code = errorCodeOf(error);
  span.set({ 'http.response.status_code': response.hasStarted ? response.status : PROXY_ERRORS[code] });
  if (PROXY_ERRORS[code] >= 500) span.fail(code);
  else span.set({ 'error.type': code });
}
