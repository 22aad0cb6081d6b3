import type { IncomingMessage, ServerResponse } from 'node:http';
import { causeCode } from '@winnow/service';
import type { Span } from '@winnow/tracing';
import type { ClientSignal } from '../client/client-signal.ts';
import { collectBody } from '../client/collect-body.ts';
import type { HeadWriter } from '../client/head-writer.ts';
import { ProxyError } from '../client/proxy-error.ts';
import { relayBody } from '../client/relay-body.ts';
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
  readonly signal: ClientSignal;
  /** The exchange in a trace. */
  readonly span: Span;
  /** Is shown what passes by. */
  readonly tap?: Tap | undefined;
}

/** Looks on while an exchange is forwarded. Never changes, delays or begins the flow of a body, and never throws. */
export interface Tap {
  /** Before the body of the client's request flows. */
  seeRequest(body: IncomingMessage): void;
  /** Before the body of the upstream's response flows. */
  seeResponse(response: UpstreamResponse): void;
}

/**
 * Forwards a request and its response as they are, byte by byte in both directions, and gives the response's status.
 *
 * Bytes travel as they come, and a slow reader slows the sender down. When the upstream breaks off, so does the response.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no response.
 */
export async function forwardUntouched(forwarding: Forwarding): Promise<number> {
  const response = await forwardBody(forwarding);
  await relay(response, forwarding);
  return response.status;
}

/** Bodies of a known length up to this are sent on when they are whole: few bytes flow better in one piece. */
const COLLECTED_BYTES = 64 * 1024;

async function forwardBody(forwarding: Forwarding): Promise<UpstreamResponse> {
  const { incoming, tap, signal } = forwarding;
  const length = incoming.headers['content-length'];
  const hasBody = length === undefined ? incoming.headers['transfer-encoding'] !== undefined : length !== '0';
  if (!hasBody) return forwardRequest(forwarding, null, {});
  tap?.seeRequest(incoming);
  const isCollected = Number(length) <= COLLECTED_BYTES;
  if (!isCollected) return forwardRequest(forwarding, incoming, { 'content-length': length });
  return forwardRequest(forwarding, await collectBody(incoming, Number(length), signal), {});
}

/** A request whose body was read already, and the headers to replace, by small name. */
export interface BytesForwarding extends Forwarding {
  readonly replace: Readonly<Record<string, string | undefined>>;
  /** How long the upstream may send nothing, in milliseconds; as long as the client waits when it is left out. */
  readonly idleTimeoutMs?: number | undefined;
}

/**
 * Sends bytes that were read already, and gives the response, still to be relayed.
 *
 * @throws ProxyError with `upstream_unreachable` when there is no response.
 */
export function sendBytes(body: Buffer | null, forwarding: BytesForwarding): Promise<UpstreamResponse> {
  return forwardRequest(forwarding, body, forwarding.replace, forwarding.idleTimeoutMs);
}

/** Writes an upstream's response to the client, as it is. */
export async function relay(
  response: UpstreamResponse,
  { outgoing, head, tap }: Pick<Forwarding, 'outgoing' | 'head' | 'tap'>,
): Promise<void> {
  const { status, headers, body } = response;
  try {
    head.write(status, toClientHeaders(headers, 'untouched'));
  } catch (error) {
    body.destroy();
    throw error;
  }
  // A stream may think for minutes before its first event; its head must not wait for it. A body of known length comes at once.
  if (headerValue(headers, 'content-length') === undefined) outgoing.flushHeaders();
  tap?.seeResponse(response);
  await relayBody(body, outgoing);
}

async function forwardRequest(
  { incoming, target, send, signal, span }: Forwarding,
  body: Buffer | IncomingMessage | null,
  replace: Readonly<Record<string, string | undefined>>,
  idleTimeoutMs?: number,
): Promise<UpstreamResponse> {
  try {
    return await send({
      upstream: target.upstream,
      method: incoming.method ?? 'GET',
      path: target.path,
      headers: toUpstreamHeaders(incoming.rawHeaders, { upstream: target.upstream, replace }),
      body,
      idleTimeoutMs,
      signal,
      span,
    });
  } catch (cause) {
    const code = causeCode(cause);
    const because = code === undefined ? '' : ` (${code})`;
    const message = `The upstream "${target.upstream.name}" does not answer${because}.`;
    throw new ProxyError('upstream_unreachable', message, { cause });
  }
}
