import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span } from '@winnow/tracing';
import type { HeadWriter } from '../client/head-writer.ts';
import { pipeBody } from '../client/pipe-body.ts';
import { ProxyError } from '../client/proxy-error.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { headerValue, toUpstreamHeaders } from '../upstream/request-headers.ts';
import { toClientHeaders } from '../upstream/response-headers.ts';
import type { SendUpstream, UpstreamResponse } from '../upstream/upstream-client.ts';

/** What forwarding needs. */
export interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly head: HeadWriter;
  readonly target: Target;
  readonly send: SendUpstream;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** The exchange in a trace. */
  readonly span: Span;
  /** Is shown what passes by. */
  readonly onlooker?: Onlooker | undefined;
}

/** Looks on while an exchange is forwarded. Never changes, delays or begins the flow of a body, and never throws. */
export interface Onlooker {
  /** Before the body of the client's request flows. */
  seeRequest(body: IncomingMessage): void;
  /** Before the body of the upstream's answer flows. */
  seeAnswer(response: UpstreamResponse): void;
}

/**
 * Forwards a request and its answer as they are, byte by byte in both directions, and gives the answer's status.
 *
 * Bytes travel as they come, and a slow reader slows the sender down. When the upstream breaks off, so does the answer.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no answer.
 */
export async function forwardUntouched(forwarding: Forwarding): Promise<number> {
  const { incoming, onlooker } = forwarding;
  const length = incoming.headers['content-length'];
  const hasBody = length === undefined ? incoming.headers['transfer-encoding'] !== undefined : length !== '0';
  if (hasBody) onlooker?.seeRequest(incoming);
  const response = await (hasBody
    ? forwardRequest(forwarding, incoming, { 'content-length': length })
    : forwardRequest(forwarding, null, {}));
  await relay(response, forwarding);
  return response.status;
}

/** A request whose body was read already, and the headers to replace, by small name. */
export interface BytesForwarding extends Forwarding {
  readonly replace: Readonly<Record<string, string>>;
}

/**
 * Sends bytes that were read already, and gives the answer, still to be relayed.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no answer.
 */
export function sendBytes(body: Buffer, forwarding: BytesForwarding): Promise<UpstreamResponse> {
  return forwardRequest(forwarding, body, forwarding.replace);
}

/** Writes an upstream's answer to the client, as it is. */
export async function relay(
  response: UpstreamResponse,
  { outgoing, head, onlooker }: Pick<Forwarding, 'outgoing' | 'head' | 'onlooker'>,
): Promise<void> {
  head.write(response.status, toClientHeaders(response.headers, 'untouched'));
  // A stream may think for minutes before its first event; its head must not wait for it. A body of known length comes at once.
  if (headerValue(response.headers, 'content-length') === undefined) outgoing.flushHeaders();
  onlooker?.seeAnswer(response);
  await pipeBody(response.body, outgoing);
}

async function forwardRequest(
  { incoming, target, send, signal, span }: Forwarding,
  body: Buffer | IncomingMessage | null,
  replace: Readonly<Record<string, string | undefined>>,
): Promise<UpstreamResponse> {
  try {
    return await send({
      upstream: target.upstream,
      method: incoming.method ?? 'GET',
      path: target.path,
      headers: toUpstreamHeaders(incoming.rawHeaders, { upstream: target.upstream, replace }),
      body,
      signal,
      span,
    });
  } catch (cause) {
    throw new ProxyError('upstream_unreachable', `The upstream "${target.upstream.name}" does not answer.`, {
      cause,
    });
  }
}
