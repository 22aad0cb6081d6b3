import { readTraceHeaders, type Span, type Tracer } from '@winnow/service';
import { errorCodeOf, PROXY_ERRORS } from '../http/proxy-error.ts';
import { genAiProvider } from '../upstream/gen-ai-provider.ts';
import type { IncomingExchange } from './incoming-exchange.ts';

/** A request on its way, with its place in a trace. */
export interface TracedExchange extends IncomingExchange {
  /** The span of the exchange; its steps are child spans. */
  readonly span: Span;
}

/** Options of a span. */
export interface TraceOptions {
  readonly tracer: Tracer;
  /**
   * Whether a format handles the path, so that the span may record it. Other paths may hold ids or secrets.
   */
  readonly isKnownPath: boolean;
}

/** Runs an exchange within a span, a child of the client's; rejects as `run` does. */
export function traceExchange(
  exchange: IncomingExchange,
  options: TraceOptions,
  run: (exchange: TracedExchange) => Promise<void>,
): Promise<void> {
  const traced = { ...exchange, span: startSpan(exchange, options) };
  // An unrecorded span need not be ended: there is nothing to wait for.
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
    'gen_ai.provider.name': genAiProvider(target.upstream),
  });
}

function noteStatus(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
}

/**
 * Records an error. A client that leaves is not a failure; any other error becomes the response unless that
 * has begun.
 */
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
