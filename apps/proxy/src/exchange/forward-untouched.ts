import { causeCode } from '@winnow/service';
import type { RequestBody } from '../http/client-request.ts';
import { headerValue } from '../http/headers.ts';
import { ProxyError } from '../http/proxy-error.ts';
import { toClientHeaders } from '../http/response-headers.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { withOwnAddresses } from '../upstream/continued-address.ts';
import { toUpstreamHeaders } from '../upstream/request-headers.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from '../upstream/send-upstream.ts';
import { collectBody } from './collect-body.ts';
import type { Ending } from './format-exchange.ts';
import { relayBody } from './relay-body.ts';
import type { TracedExchange } from './trace-exchange.ts';

/** Options of forwarding. */
export interface Forwarding {
  readonly send: SendUpstream;
  /** Called before the body of the request flows, if there is one. Must neither throw nor start the flow. */
  readonly onBody?: (body: RequestBody) => void;
}

/** Largest body of known length that is collected before it is sent: small bodies are faster in one piece. */
const COLLECTED_BYTES = 64 * 1024;

/**
 * Forwards a request and its response byte by byte.
 *
 * Bytes travel as they arrive, and a slow reader slows the sender down. If the upstream breaks off, the
 * response does, too.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response.
 */
export async function forwardUntouched(
  exchange: TracedExchange,
  { send, onBody }: Forwarding,
): Promise<Ending> {
  const { request, target, signal } = exchange;
  const length = request.headers['content-length'] as string | undefined;
  const hasBody = length === undefined ? request.headers['transfer-encoding'] !== undefined : length !== '0';
  if (hasBody) onBody?.(request.body);
  const isCollected = hasBody && Number(length) <= COLLECTED_BYTES;
  const whole = isCollected ? await collectBody(request.body, Number(length), signal) : null;
  const isStreamed = hasBody && !isCollected;
  const body = isStreamed ? request.body : whole;
  const replace = isStreamed ? { 'content-length': length } : NOTHING;
  const response = await sendBody(body, exchange, { send, target, replace });
  return relay(response, exchange);
}

const NOTHING = {};

/** The target of a body, and its headers. */
export interface Sending extends Pick<Forwarding, 'send'>, Pick<UpstreamRequest, 'idleTimeoutMs'> {
  readonly target: Target;
  /** Headers to replace, by lower-case name. */
  readonly replace: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a body with the head of a client's request; returns the response, yet to be relayed.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response.
 */
export async function sendBody(
  body: UpstreamRequest['body'],
  { request, signal, span }: TracedExchange,
  { send, target: { upstream, path }, replace, idleTimeoutMs }: Sending,
): Promise<UpstreamResponse> {
  try {
    return await send({
      upstream,
      method: request.method,
      path,
      headers: toUpstreamHeaders(request.rawHeaders, { upstream, replace }),
      body,
      idleTimeoutMs,
      signal,
      span,
    });
  } catch (cause) {
    if (cause instanceof ProxyError) throw cause;
    const code = causeCode(cause) ?? (cause as Error).name;
    const message = `The upstream "${upstream.name}" does not respond (${code}).`;
    throw new ProxyError('upstream_unreachable', message, { cause });
  }
}

/**
 * Writes an upstream's response to the client unchanged; returns the end of the exchange. `onFlow` is called before
 * its body flows, and must neither throw nor read it.
 */
export async function relay(
  upstream: UpstreamResponse,
  {
    request,
    target,
    response,
    head,
    handOver,
  }: Pick<TracedExchange, 'request' | 'target' | 'response' | 'head' | 'handOver'>,
  onFlow?: (upstream: UpstreamResponse) => void,
): Promise<Ending> {
  const { status, headers, body } = upstream;
  // Its headers may name hidden tools.
  if (head.hiddenNames.length === 0 && handOver?.(upstream)) return { outcome: 'answered', status };
  try {
    head.write(status, withOwnAddresses(toClientHeaders(headers, 'untouched'), request, target));
  } catch (error) {
    body.destroy();
    throw error;
  }
  // A model may think for minutes before the first event of a stream; the head must not wait for it. A body
  // of known length follows at once.
  const length = headerValue(headers, 'content-length');
  if (length === undefined) response.flushHead();
  onFlow?.(upstream);
  await relayBody(body, response, Number(length));
  return { outcome: 'answered', status };
}
