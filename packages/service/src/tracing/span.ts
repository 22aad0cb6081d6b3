import type { TracingSettings } from './tracing-settings.ts';

/**
 * The trace context of a request: `traceparent`, and vendors' additions in `tracestate`. Empty without a
 * trace.
 *
 * Source: https://www.w3.org/TR/trace-context/
 */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Headers by lower-case name, as Node provides them. */
type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The absence of a trace. */
export const NO_TRACE: TraceHeaders = {};

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The bytes allowed in a forwarded header; Node accepts others, and HTTP clients refuse to send them. */
const VISIBLE = /^[\x20-\x7e]*$/;

/** The length of `tracestate` that every hop must propagate: section 3.3.1.5 of the specification. */
const MAX_TRACESTATE_CHARS = 512;

/**
 * Reads a request's trace context. An invalid `traceparent` counts as absent, and without it `tracestate` is
 * ignored.
 */
export function readTraceHeaders({ traceparent, tracestate }: HeadersByName): TraceHeaders {
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return NO_TRACE;
  const isKept =
    typeof tracestate === 'string' &&
    tracestate !== '' &&
    tracestate.length <= MAX_TRACESTATE_CHARS &&
    VISIBLE.test(tracestate);
  return isKept ? { traceparent, tracestate } : { traceparent };
}

function isTraceparent(text: string): boolean {
  const match = TRACEPARENT.exec(text);
  if (!match || !VISIBLE.test(text)) return false;
  // Later versions may have more parts; version 00 may not.
  return match[1] !== '00' || match[2] === undefined;
}

/**
 * The side of a call that a span covers: `server` handles a call, `client` makes one, `internal` is neither.
 */
export type SpanKind = 'server' | 'client' | 'internal';

/** A start and an end, in milliseconds of the `now` that tracing was started with. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * One step of work in a trace.
 *
 * Contract: no method throws or waits. Call `end` exactly once, last, on a recorded span; later calls are
 * ignored. Children may end after their parent. A span that is not recorded costs almost nothing and need not
 * be ended.
 */
export interface Span {
  /** Whether the span is recorded; skip expensive attributes if it is not. */
  readonly isRecorded: boolean;
  /** Headers that continue the trace in a request to another service; without tracing, the incoming ones. */
  readonly headers: TraceHeaders;
  startChild(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** Adds a child that has already ended. */
  addChild(name: string, period: Period): void;
  /** Sets attributes; undefined ones are skipped. */
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed; the type is one of a few fixed words, never a message. */
  fail(errorType: string): void;
  end(): void;
}

/** Starts the spans of incoming requests. */
export interface Tracer {
  /** Starts a span under the parent that the request's headers name, or at the root of a new trace. */
  start(name: string, kind: SpanKind, trace: TraceHeaders, attributes?: SpanAttributes): Span;
}

/** Running tracing. */
export interface Tracing {
  readonly tracer: Tracer;
  /**
   * Sends the remaining spans until `deadline` aborts, and stops. Never rejects. A second call waits for the
   * first.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** The two clocks that time spans. */
export interface Clock {
  /** Milliseconds since an arbitrary moment, with fractions; monotonic. */
  now(): number;
  /** Milliseconds since 1970. */
  wallClock(): number;
}

/** Options for starting tracing. */
export interface TracingOptions {
  /** Undefined turns tracing off. */
  readonly settings: TracingSettings | undefined;
  /** The service name if `OTEL_SERVICE_NAME` is not set. */
  readonly serviceName: string;
  readonly clock: Clock;
  /** Called when spans begin to be lost and when they arrive again. */
  readonly onChange: (state: ExportState) => void;
}

/** Records nothing. Its spans pass on the incoming trace, so that it continues in the next service. */
export const SILENT_TRACER: Tracer = { start: (_name, _kind, trace) => silentSpan(trace) };

/** Returns a span that is never recorded; it is its own child. */
export function silentSpan(headers: TraceHeaders): Span {
  return headers === NO_TRACE ? SILENT_SPAN : new SilentSpan(headers);
}

class SilentSpan implements Span {
  readonly isRecorded = false;
  readonly headers: TraceHeaders;

  constructor(headers: TraceHeaders) {
    this.headers = headers;
  }

  startChild(): Span {
    return this;
  }

  addChild(): void {}

  set(): void {}

  fail(): void {}

  end(): void {}
}

/** A span that belongs to no trace. */
export const SILENT_SPAN: Span = new SilentSpan(NO_TRACE);

/**
 * All permitted span attributes: an explicit list, so that nothing else gets into a trace. Counts, codes and
 * names; never request content, queries, descriptions or credentials.
 *
 * Names without `winnow` follow the semantic conventions:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/ and
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export type SpanAttributes = { readonly [Name in keyof Attributes]?: Attributes[Name] | undefined };

interface Attributes {
  'http.request.method': string;
  'http.response.status_code': number;
  /** Number of previous attempts; absent on the first. */
  'http.request.resend_count': number;
  /** The path template of the service's route. */
  'http.route': string;
  /** Without the query; only for known paths. */
  'url.path': string;
  'server.address': string;
  'server.port': number;
  /** The reason of the failure: a code, or the status. */
  'error.type': string;
  'gen_ai.operation.name': string;
  /** The provider as the conventions name it, or the vendor whose wire format the upstream speaks. */
  'gen_ai.provider.name': string;
  'gen_ai.request.model': string;
  /** Present if the client asked for a stream. */
  'gen_ai.request.stream': boolean;
  /** Seconds until the first bytes of a streamed response. */
  'gen_ai.response.time_to_first_chunk': number;
  /** Summed over all upstream calls. */
  'gen_ai.usage.input_tokens': number;
  'gen_ai.usage.output_tokens': number;
  /** Input tokens read from the provider's prompt cache, and written to it. */
  'gen_ai.usage.cache_read.input_tokens': number;
  'gen_ai.usage.cache_creation.input_tokens': number;
  /** The method of a Model Context Protocol request, if it is a known one. */
  'mcp.method.name': string;
  /** The `requestId` in the record or in the selector's log. */
  'winnow.request_id': string;
  'winnow.upstream': string;
  /** The Letta call, by its name in the metrics. */
  'winnow.letta.call': string;
  /** The outcome for an agent. */
  'winnow.attach.outcome': string;
  'winnow.attach.attached': number;
  'winnow.attach.failed': number;
  'winnow.attach.detached': number;
  'winnow.format': string;
  'winnow.strategy': string;
  'winnow.arm': string;
  'winnow.plan_reason': string;
  'winnow.load_mode': string;
  'winnow.outcome': string;
  'winnow.restored_because': string;
  'winnow.stream': boolean;
  'winnow.tools.total': number;
  'winnow.tools.kept': number;
  'winnow.tools.deferred': number;
  'winnow.tools.loaded': number;
  /** Searches by the model in the exchange. */
  'winnow.searches': number;
  'winnow.upstream_calls': number;
  'winnow.hidden_turns': number;
  'winnow.session_errors': number;
  'winnow.search.outcome': string;
  /** Number of tools searched. */
  'winnow.search.tools': number;
  /** Number of tools found. */
  'winnow.search.found': number;
  /** Length of the query, in UTF-16 code units. */
  'winnow.search.query_chars': number;
  /** The query type that the selector inferred. */
  'winnow.search.type': string;
  /** `cached`, or `built` for this search. */
  'winnow.search.index': string;
}

/**
 * Returns the address and port of a request's origin; without an explicit port, the default of the scheme.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function serverAttributes(origin: string): SpanAttributes {
  const { protocol, hostname, port } = new URL(origin);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}

export type ExportState = 'down' | 'up';
