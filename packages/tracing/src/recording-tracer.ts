import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  type Tracer as SdkTracer,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { silentSpan } from './silent-tracer.ts';
import type { Period, Span, SpanKind, Tracer } from './span.ts';
import type { SpanAttributes } from './span-attributes.ts';
import type { TraceHeaders } from './trace-headers.ts';

/**
 * Records spans with OpenTelemetry. Parents are passed by hand: what follows them through callbacks by itself would cost every request,
 * traced or not.
 */
export function recordingTracer(sdk: SdkTracer): Tracer {
  return {
    start: (name, kind, headers, attributes) =>
      startSpan(sdk, toContext(headers), { name, kind, attributes: attributes ?? {} }),
  };
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

function startSpan(sdk: SdkTracer, parent: Context, { name, kind, attributes }: SpanStart): Span {
  const span = sdk.startSpan(name, { kind: KINDS[kind], attributes: withoutUndefined(attributes) }, parent);
  // A trace that is not sampled still has its ids, so that the services behind leave it out as well.
  return span.isRecording() ? new RecordedSpan(sdk, span) : silentSpan(toHeaders(span.spanContext()));
}

class RecordedSpan implements Span {
  readonly isRecorded = true;
  readonly #sdk: SdkTracer;
  readonly #span: SdkSpan;
  #isOver = false;

  constructor(sdk: SdkTracer, span: SdkSpan) {
    this.#sdk = sdk;
    this.#span = span;
  }

  get headers(): TraceHeaders {
    return toHeaders(this.#span.spanContext());
  }

  startChild(name: string, kind: SpanKind, attributes: SpanAttributes = {}): Span {
    return startSpan(this.#sdk, this.#context(), { name, kind, attributes });
  }

  addChild(name: string, { startMs, endMs }: Period): void {
    this.#sdk.startSpan(name, { startTime: startMs }, this.#context()).end(endMs);
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
    this.#span.end();
  }

  #context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }
}

function withoutUndefined(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** `00-TRACE-PARENT-FLAGS`; the headers have been checked. */
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
