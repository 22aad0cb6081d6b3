import type { IncomingMessage } from 'node:http';
import type { Span } from '@winnow/tracing';
import type { Format, Plan } from '@winnow/wire';
import { ProxyError } from '../client/proxy-error.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { idempotencyKey } from '../upstream/idempotency-key.ts';
import { headerValue, toUpstreamHeaders } from '../upstream/request-headers.ts';
import type { SendUpstream, UpstreamResponse } from '../upstream/upstream-client.ts';

/** An edited request on its way to the upstream. */
export interface EditedRequest {
  readonly incoming: IncomingMessage;
  readonly target: Target;
  readonly format: Format;
  readonly plan: Plan;
  readonly body: Uint8Array;
  /** Which request of the exchange it is, from 1. */
  readonly round: number;
  readonly send: SendUpstream;
  readonly signal: AbortSignal;
  /** The exchange in a trace. */
  readonly span: Span;
}

/**
 * Sends an edited request, with the client's headers.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no answer.
 */
export async function askUpstream(request: EditedRequest): Promise<UpstreamResponse> {
  const { incoming, target, body, send, signal, span } = request;
  try {
    return await send({
      upstream: target.upstream,
      method: 'POST',
      path: target.path,
      headers: toUpstreamHeaders(incoming.rawHeaders, {
        upstream: target.upstream,
        replace: replacedHeaders(request),
      }),
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      signal,
      span,
    });
  } catch (cause) {
    throw new ProxyError('upstream_unreachable', `The upstream "${target.upstream.name}" does not answer.`, {
      cause,
    });
  }
}

function replacedHeaders({
  incoming,
  format,
  plan,
  round,
}: EditedRequest): Record<string, string | undefined> {
  const client = incoming.rawHeaders;
  const replaced: Record<string, string | undefined> = {
    // The answer is read here, and the request was decoded here.
    'accept-encoding': 'identity',
    'content-encoding': undefined,
  };
  for (const { name, value } of format.addedHeaders(plan)) {
    replaced[name.toLowerCase()] = appendedValue(
      replaced[name.toLowerCase()] ?? headerValue(client, name.toLowerCase()),
      value,
    );
  }
  return { ...replaced, ...idempotencyKey(client, round) };
}

function appendedValue(list: string | undefined, value: string): string {
  if (list === undefined || list.trim() === '') return value;
  return list.split(',').some((item) => item.trim() === value) ? list : `${list},${value}`;
}
