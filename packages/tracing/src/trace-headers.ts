/**
 * Where a trace goes on, as headers of a request: `traceparent`, and what vendors have added to it. Empty when there is no trace.
 *
 * Source: https://www.w3.org/TR/trace-context/
 */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Headers by small name, as Node gives them. */
export type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

/** No trace. */
export const NO_TRACE: TraceHeaders = {};

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** What may stand in a header that is sent on; Node lets other bytes in, and HTTP clients refuse to send them. */
const VISIBLE = /^[\x20-\x7e]*$/;

/** As much of a `tracestate` as every hop must take: section 3.3.1.5 of the specification. */
const MAX_TRACESTATE_CHARS = 512;

/** The trace that a request belongs to. A `traceparent` that is not valid is none, and without it there is no `tracestate`. */
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
  // Later versions may have more parts, version 00 has none.
  return match[1] !== '00' || match[2] === undefined;
}
