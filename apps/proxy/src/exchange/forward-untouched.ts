import { causeCode } from '@winnow/service';
import { CREDENTIAL_PARAMETERS } from '@winnow/wire';
import type { Target } from '../upstream/choose-upstream.ts';
import type { ClientSignal, RequestBody, ResponsePlace } from '../upstream/client.ts';
import { type HeadersByName, headerValue, toClientHeaders, toUpstreamHeaders } from '../upstream/headers.ts';
import { ProxyError } from '../upstream/proxy-error.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from '../upstream/send-upstream.ts';
import type { BodyEnd, UpstreamBody } from '../upstream/upstream-body.ts';
import type { Ending, TracedExchange } from './exchange.ts';

/** Options of forwarding. */
interface Forwarding {
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
interface Sending extends Pick<Forwarding, 'send'>, Pick<UpstreamRequest, 'idleTimeoutMs'> {
  readonly target: Target;
  /** Headers to replace, by lower-case name. */
  readonly replace: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a body with the head of a client's request; returns the response, yet to be relayed.
 *
 * @throws ProxyError with `upstream_unreachable` if there is no response.
 */
export function sendBody(
  body: UpstreamRequest['body'],
  { request, signal, span }: TracedExchange,
  { send, target: { upstream, path }, replace, idleTimeoutMs }: Sending,
): Promise<UpstreamResponse> {
  return send({
    upstream,
    method: request.method,
    path,
    headers: toUpstreamHeaders(request.rawHeaders, { upstream, replace }),
    body,
    idleTimeoutMs,
    signal,
    span,
  }).catch((cause: unknown) => {
    if (cause instanceof ProxyError) throw cause;
    const code = causeCode(cause) ?? (cause as Error).name;
    const message = `The upstream "${upstream.name}" does not respond (${code}).`;
    throw new ProxyError('upstream_unreachable', message, { cause });
  });
}

/**
 * Writes an upstream's response to the client unchanged; returns the end of the exchange. `onFlow` is called before
 * its body flows, and must neither throw nor read it.
 */
export function relay(
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
  const ending: Ending = { outcome: 'answered', status };
  // Its headers may name hidden tools.
  if (head.hiddenNames.length === 0 && handOver?.(upstream)) return Promise.resolve(ending);
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
  return relayBody(body, response, { length: Number(length), ending });
}

/**
 * Collects a request body of a declared `length` of at least one byte. The body must be unread. Rejects when
 * the client leaves.
 *
 * Sending bytes on as one buffer costs a third of sending them as a stream.
 */
function collectBody(body: RequestBody, length: number, signal: ClientSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leaving = { onLeave: reject };
    const pieces: Buffer[] = [];
    let size = 0;
    body.readBy({
      onPiece(piece) {
        pieces.push(piece);
        size += piece.length;
        // A server delivers no more bytes than declared, and fewer only if the client left.
        if (size < length) return;
        signal.remove(leaving);
        resolve(pieces.length === 1 ? piece : Buffer.concat(pieces, size));
      },
      onEnd() {},
      onError: reject,
    });
    signal.add(leaving);
  });
}

/**
 * Passes an upstream's body on as the body of a response whose head is written, and ends it; a slow reader
 * slows the upstream down. Resolves with `ending` when everything is handed over to the system. Rejects when either
 * side breaks off: the upstream connection is then closed, and the caller must close the incomplete response.
 *
 * `length` is the declared length of the body in bytes; NaN if unknown. A known length identifies the last
 * piece, so that it can end the response with one write to the connection instead of two.
 */
function relayBody(
  body: UpstreamBody,
  place: ResponsePlace,
  { length, ending }: { readonly length: number; readonly ending: Ending },
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    place.onClose((isWhole) => {
      if (isWhole) return resolve(ending);
      body.destroy();
      reject(new Error('the client disconnected before its response was complete'));
    });
    new Relay(body, place, length, reject).flow();
  });
}

/**
 * Relays available pieces; waits for the client when it is full, and for the upstream when it has no data.
 */
class Relay {
  readonly #body: UpstreamBody;
  readonly #place: ResponsePlace;
  readonly #fail: (error: Error) => void;
  /** Bytes yet to arrive; NaN if unknown. */
  #leftBytes: number;
  #isFlowing = false;
  #isWaiting = false;

  constructor(body: UpstreamBody, place: ResponsePlace, length: number, fail: (error: Error) => void) {
    this.#body = body;
    this.#place = place;
    this.#leftBytes = length;
    this.#fail = fail;
    body.onMore(() => this.flow());
  }

  flow(): void {
    // Taking the last piece may let the upstream send more at once, which must follow that piece.
    if (this.#isFlowing || this.#isWaiting) return;
    this.#isFlowing = true;
    for (let piece = this.#body.take(); piece !== undefined; piece = this.#body.take()) {
      if (!this.#write(piece)) break;
    }
    this.#isFlowing = false;
    if (!this.#isWaiting && this.#body.end) this.#finish(this.#body.end);
  }

  /** Writes a piece; returns whether the client is ready for more. */
  #write(piece: Buffer): boolean {
    this.#leftBytes -= piece.length;
    if (this.#leftBytes === 0) {
      this.#place.end(piece);
      return true;
    }
    if (this.#place.write(piece)) return true;
    this.#isWaiting = true;
    this.#place.onRoom(() => {
      this.#isWaiting = false;
      this.flow();
    });
    return false;
  }

  #finish(end: BodyEnd): void {
    // The last piece has already ended it.
    if (this.#place.isEnded) return;
    if (end.kind === 'whole') this.#place.end();
    else if (end.kind === 'broken') this.#fail(end.error);
  }
}

/**
 * Returns a response's headers with addresses at the upstream replaced by the proxy's own, such as the address
 * of a resumable upload, where the client sends its next requests.
 *
 * Only for clients without a key of their own: at the upstream itself, they would send what the proxy replaces,
 * and the address may hold the operator's key. The proxy is addressed as the client addressed it.
 */
export function withOwnAddresses(
  headers: string[],
  { headers: asked, isSecure = false }: { readonly headers: HeadersByName; readonly isSecure?: boolean },
  { upstream }: Pick<Target, 'upstream'>,
): string[] {
  const { vendor, auth, name, origin } = upstream;
  const names = vendor.addressHeaders ?? [];
  const { host, 'x-forwarded-proto': forwarded } = asked;
  if (names.length === 0 || auth.kind === 'forward' || typeof host !== 'string') return headers;
  const scheme = isSecure || /^https\b/i.test(String(forwarded ?? '')) ? 'https' : 'http';
  return headers.map((value, at) => {
    if (at % 2 === 0 || !names.includes(headers[at - 1]!.toLowerCase())) return value;
    const address = URL.parse(value);
    if (address?.origin !== origin) return value;
    for (const parameter of [...address.searchParams.keys()]) {
      const isOwn = 'name' in auth && parameter === auth.name;
      if (isOwn || CREDENTIAL_PARAMETERS.includes(parameter.toLowerCase()))
        address.searchParams.delete(parameter);
    }
    return `${scheme}://${host}/${name}${address.pathname}${address.search}`;
  });
}
