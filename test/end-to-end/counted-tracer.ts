import type { Span, Tracer } from '@winnow/service';

/** A tracer that counts its recorded spans that have not ended. */
export interface CountedTracer {
  readonly tracer: Tracer;
  readonly open: () => number;
}

/** The same tracer, counted. */
export function countedTracer(tracer: Tracer): CountedTracer {
  let open = 0;
  const count = (span: Span): Span => {
    if (!span.isRecorded) return span;
    open++;
    let isOver = false;
    return {
      isRecorded: span.isRecorded,
      headers: span.headers,
      startChild: (...child) => count(span.startChild(...child)),
      addChild: (...child) => span.addChild(...child),
      set: (attributes) => span.set(attributes),
      fail: (errorType) => span.fail(errorType),
      end() {
        if (isOver) throw new Error('a span ends twice');
        isOver = true;
        open--;
        span.end();
      },
    };
  };
  return { tracer: { start: (...span) => count(tracer.start(...span)) }, open: () => open };
}
