import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  type Tracer as SdkTracer,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { TraceHeaders } from './span.ts';
import {
  type Clock,
  type Period,
  type Span,
  type SpanAttributes,
  type SpanKind,
  silentSpan,
  type Tracer,
} from './span.ts';

/**
 * Records spans with OpenTelemetry. Parents are passed explicitly: automatic context tracking through
 * callbacks would cost every request, traced or not.
 */
export function recordingTracer(sdk: SdkTracer, clock: Clock): Tracer {
  return {
    start: (name, kind, headers, attributes) => {
      const start = { name, kind, attributes: attributes ?? {} };
      return startSpan(new Recorder(sdk, clock), toContext(headers), start);
    },
  };
}

/**
 * Starts and times the spans of one trace in one service. Reads the wall clock once: OpenTelemetry would read
 * it for every span, with millisecond resolution, and spans within one millisecond would appear out of order.
 */
class Recorder {
  readonly #sdk: SdkTracer;
  readonly #clock: Clock;
  readonly #wallOffsetMs: number;

  constructor(sdk: SdkTracer, clock: Clock) {
    this.#sdk = sdk;
    this.#clock = clock;
    this.#wallOffsetMs = clock.wallClock() - clock.now();
  }

  start(name: string, options: SpanOptions, parent: Context, startMs = this.#clock.now()): SdkSpan {
    return this.#sdk.startSpan(name, { ...options, startTime: startMs + this.#wallOffsetMs }, parent);
  }

  end(span: SdkSpan, endMs = this.#clock.now()): void {
    span.end(endMs + this.#wallOffsetMs);
  }
}

interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: SpanAttributes;
}

const KINDS: Readonly<Record<SpanKind, SdkSpanKind>> = {
  server: SdkSpanKind.SERVER,
  client: SdkSpanKind.CLIENT,
  internal: SdkSpanKind.INTERNAL,
};

function startSpan(recorder: Recorder, parent: Context, { name, kind, attributes }: SpanStart): Span {
  const span = recorder.start(name, { kind: KINDS[kind], attributes: withoutUndefined(attributes) }, parent);
  // An unsampled trace still has its ids, so that downstream services leave it out, too.
  return span.isRecording() ? new RecordedSpan(recorder, span) : silentSpan(toHeaders(span.spanContext()));
}

class RecordedSpan implements Span {
  readonly isRecorded = true;
  readonly #recorder: Recorder;
  readonly #span: SdkSpan;
  #isOver = false;

  constructor(recorder: Recorder, span: SdkSpan) {
    this.#recorder = recorder;
    this.#span = span;
  }

  get headers(): TraceHeaders {
    return toHeaders(this.#span.spanContext());
  }

  startChild(name: string, kind: SpanKind, attributes: SpanAttributes = {}): Span {
    return startSpan(this.#recorder, this.#context(), { name, kind, attributes });
  }

  addChild(name: string, { startMs, endMs }: Period): void {
    this.#recorder.end(this.#recorder.start(name, {}, this.#context(), startMs), endMs);
  }

  set(attributes: SpanAttributes): void {
    if (!this.#isOver) this.#span.setAttributes(withoutUndefined(attributes));
  }

  fail(errorType: string): void {
    if (this.#isOver) return;
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', errorType);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#recorder.end(this.#span);
  }

  #context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }
}

function withoutUndefined(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Parses `00-TRACE-PARENT-FLAGS`; the headers have been validated. */
function toContext({ traceparent, tracestate }: TraceHeaders): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

function toHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  const tracestate = traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}
