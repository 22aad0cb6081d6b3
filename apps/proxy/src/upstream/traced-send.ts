import { type Span, serverAttributes } from '@winnow/tracing';
import type { ClientSignal } from '../http/client-signal.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from './send-upstream.ts';

/**
 * The same, with a span for each request below the one that it is a part of, which ends when the response's last byte was read, or nobody
 * reads any more. The request itself is not changed: no upstream learns of the trace but by the client's own headers.
 */
export function tracedSend(send: SendUpstream): SendUpstream {
  return (request) => (request.span.isRecorded ? sendTraced(send, request) : send(request));
}

async function sendTraced(send: SendUpstream, request: UpstreamRequest): Promise<UpstreamResponse> {
  const { method, upstream, signal } = request;
  const span = request.span.startChild(method, 'client', {
    'http.request.method': method,
    'winnow.upstream': upstream.name,
    ...serverAttributes(upstream.origin),
  });
  try {
    const response = await send(request);
    noteResponse(span, response, signal);
    return response;
  } catch (error) {
    noteFailure(span, 'upstream_unreachable', signal);
    span.end();
    throw error;
  }
}

function noteResponse(span: Span, { status, body }: UpstreamResponse, signal: ClientSignal): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(String(status));
  body.onOver((end) => {
    if (end.kind === 'broken') noteFailure(span, 'interrupted', signal);
    span.end();
  });
}

/** A client that leaves takes its requests with it: no fault of the upstream's. */
function noteFailure(span: Span, errorType: string, signal: ClientSignal): void {
  if (signal.aborted) span.set({ 'winnow.outcome': 'client_gone' });
  else span.fail(errorType);
}
