import { causeCode, type Span, serverAttributes } from '@winnow/service';
import { framingOf, rememberBy } from '@winnow/wire';
import { type LogEffects, minuteLog } from '../log/log.ts';
import type { Upstream } from './choose-upstream.ts';
import type { ClientSignal, RequestBody } from './client.ts';
import { headerValue, type RawHeaders } from './headers.ts';
import type { UpstreamBody } from './upstream-body.ts';

export interface UpstreamRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | RequestBody | null;
  /**
   * Longest silence of the upstream, in milliseconds; without it, the send waits as long as the client does.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborts when the client leaves. */
  readonly signal: ClientSignal;
  /** The parent span. */
  readonly span: Span;
}

/**
 * Sends a request to an upstream.
 *
 * Contract: resolves with the head of the upstream's response; rejects if there is no response or `signal`
 * aborts. Waits as long as the client does, without its own timeout. Never holds bytes back.
 */
export type SendUpstream = (request: UpstreamRequest) => Promise<UpstreamResponse>;

/** The head of an upstream's response, with the body yet to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: UpstreamBody;
}

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

/**
 * Wraps a send with a log line for a request without a response: one a minute per upstream and cause, with
 * the number of skipped lines.
 */
export function watchedSend(send: SendUpstream, effects: LogEffects): SendUpstream {
  const log = minuteLog(effects);
  return (request) =>
    send(request).catch((error: unknown) => {
      const { signal, upstream } = request;
      const cause = causeCode(error) ?? (error as Error).name;
      if (!signal.aborted) log({ event: 'upstream_unreachable', upstream: upstream.name, cause });
      throw error;
    });
}

/** Providers with their own addresses, by a part of the host. */
const BY_HOST: readonly (readonly [host: RegExp, provider: string])[] = [
  [/\.(openai\.azure\.com|cognitiveservices\.azure\.com)$/, 'azure.ai.openai'],
  [/\.(services\.ai\.azure\.com|models\.ai\.azure\.com)$/, 'azure.ai.inference'],
  [/(^|[.-])aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/\.amazonaws\.com$/, 'aws.bedrock'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)x\.ai$/, 'x_ai'],
];

/**
 * Providers of the conventions by vendor, for other addresses: an upstream counts as the vendor whose format it
 * speaks.
 */
const BY_VENDOR: Readonly<Record<string, string>> = { bedrock: 'aws.bedrock', gemini: 'gcp.gemini' };

/**
 * Returns the value of `gen_ai.provider.name` for an upstream.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md
 */
export const genAiProvider = rememberBy(({ origin, vendor }: Pick<Upstream, 'origin' | 'vendor'>): string => {
  const { hostname } = new URL(origin);
  const own = BY_HOST.find(([host]) => host.test(hostname));
  return own?.[1] ?? BY_VENDOR[vendor.name] ?? vendor.name;
});
