import { type Span, serverAttributes } from '@winnow/service';
import { framingOf } from '@winnow/wire';
import type { ClientSignal } from '../http/client-signal.ts';
import { headerValue } from '../http/headers.ts';
import { genAiProvider } from './gen-ai-provider.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from './send-upstream.ts';

/**
 * Wraps a send with a span per request, a child of the request's span. It ends when the last byte of the
 * response is read or its reader stops. The request itself does not change: only the client's own headers
 * carry trace context to an upstream.
 */
export function tracedSend(send: SendUpstream, now: () => number): SendUpstream {
  return (request) => (request.span.isRecorded ? sendTraced(send, request, now) : send(request));
}

async function sendTraced(
  send: SendUpstream,
  request: UpstreamRequest,
  now: () => number,
): Promise<UpstreamResponse> {
  const { method, upstream, signal } = request;
  const span = request.span.startChild(method, 'client', {
    'http.request.method': method,
    'winnow.upstream': upstream.name,
    'gen_ai.provider.name': genAiProvider(upstream),
    ...serverAttributes(upstream.origin),
  });
  const startedAt = now();
  try {
    const response = await send(request);
    if (isStream(response)) {
      response.body.onFirst(() =>
        span.set({ 'gen_ai.response.time_to_first_chunk': (now() - startedAt) / 1_000 }),
      );
    }
    noteResponse(span, response, signal);
    return response;
  } catch (error) {
    noteFailure(span, 'upstream_unreachable', signal);
    span.end();
    throw error;
  }
}

function isStream({ headers }: UpstreamResponse): boolean {
  return framingOf(headerValue(headers, 'content-type')).name !== 'json';
}

function noteResponse(span: Span, { status, body }: UpstreamResponse, signal: ClientSignal): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(String(status));
  body.onOver((end) => {
    if (end.kind === 'broken') noteFailure(span, 'interrupted', signal);
    span.end();
  });
}

/** Records a failure. A client that leaves aborts its requests; that is not an error of the upstream. */
function noteFailure(span: Span, errorType: string, signal: ClientSignal): void {
  if (signal.aborted) span.set({ 'winnow.outcome': 'client_gone' });
  else span.fail(errorType);
}
