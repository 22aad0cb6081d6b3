import type { SpanAttributes } from './span-attributes.ts';
import type { TraceHeaders } from './trace-headers.ts';

/** On which side of a call a span stands: `server` answers one, `client` makes one, `internal` is neither. */
export type SpanKind = 'server' | 'client' | 'internal';

/** When something began and ended, in milliseconds of the `now` that tracing was started with. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * One step of work in a trace.
 *
 * Contract: no call throws or waits. `end` must be called once, last, of what is recorded; what comes after it is ignored. Children may
 * end after their parent. What is not recorded costs next to nothing, and need not be ended.
 */
export interface Span {
  /** Whether anybody will see it; what is dear to find out need not be found out otherwise. */
  readonly isRecorded: boolean;
  /** With these a request to another service goes on below this span; without tracing, they are those that came in. */
  readonly headers: TraceHeaders;
  startChild(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** A child that is over already. */
  addChild(name: string, period: Period): void;
  /** Adds attributes; undefined ones are left out. */
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed; the type is one of a few words, never a message. */
  fail(errorType: string): void;
  end(): void;
}

/** Begins the spans of requests that come in. */
export interface Tracer {
  /** A span below the one that the headers of a request name, or at the root of a new trace. */
  start(name: string, kind: SpanKind, trace: TraceHeaders, attributes?: SpanAttributes): Span;
}
