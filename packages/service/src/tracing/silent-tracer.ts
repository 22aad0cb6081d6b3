import type { Span, Tracer } from './span.ts';
import { NO_TRACE, type TraceHeaders } from './trace-headers.ts';

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
