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
export type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

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
