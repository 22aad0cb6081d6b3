import type { SpanAttributes } from './span-attributes.ts';
import type { TraceHeaders } from './trace-headers.ts';

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
