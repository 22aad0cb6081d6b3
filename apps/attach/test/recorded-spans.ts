import type { Span, SpanAttributes, Tracer } from '@winnow/service';

/** A span as it was told. */
export interface RecordedSpan {
  readonly id: number;
  readonly name: string;
  /** Undefined at the root. */
  readonly parent: number | undefined;
  readonly attributes: SpanAttributes;
  readonly errorType: string | undefined;
  readonly isOver: boolean;
}

/** A tracer whose spans a test looks at. Their headers say which span they are of: `traceparent` ends with its id. */
export function recordSpans(): { readonly tracer: Tracer; readonly spans: RecordedSpan[] } {
  const spans: { -readonly [Key in keyof RecordedSpan]: RecordedSpan[Key] }[] = [];
  const begin = (name: string, parent: number | undefined, attributes: SpanAttributes): Span => {
    const id = spans.length;
    const span = { id, name, parent, attributes, errorType: undefined as string | undefined, isOver: false };
    spans.push(span);
    return {
      isRecorded: true,
      headers: { traceparent: traceparentOf(id) },
      startChild: (child, _kind, more = {}) => begin(child, id, more),
      addChild: (child) => begin(child, id, {}).end(),
      set: (more) => {
        span.attributes = { ...span.attributes, ...more };
      },
      fail: (errorType) => {
        span.errorType = errorType;
      },
      end: () => {
        span.isOver = true;
      },
    };
  };
  return {
    spans,
    tracer: { start: (name, _kind, _headers, attributes = {}) => begin(name, undefined, attributes) },
  };
}

/** The header by which a call goes on below the span. */
export function traceparentOf(id: number): string {
  return `00-${'a'.repeat(32)}-${id.toString(16).padStart(16, 'b')}-01`;
}
