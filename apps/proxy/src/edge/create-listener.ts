import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { discardRest, readAway } from '@winnow/service';
import { nearestVendor, type Vendor } from '@winnow/wire';
import type { HeadWriter, IncomingExchange } from '../exchange/exchange.ts';
import { findFormat } from '../reading/read-exchange.ts';
import { chooseUpstream, climbsOut, type Target, type Upstream } from '../upstream/choose-upstream.ts';
import { ClientSignal, type ResponsePlace } from '../upstream/client.ts';
import { errorBody, isTransportError, PROXY_ERRORS, ProxyError } from '../upstream/proxy-error.ts';
import { concernsSigning, resolveSigning } from '../upstream/signing.ts';
import { queryCredentials } from '../upstream/upstream-auth.ts';
import {
  type ClientAccess,
  type GuardOf,
  isFromHere,
  isPreflight,
  preflightHeaders,
  readableBy,
} from './client-access.ts';
import { NodeRequest, NodeResponse } from './node-http.ts';

/** Context of the listener. */
export interface AppContext {
  /** Returns the upstreams by name. */
  readonly upstreams: () => ReadonlyMap<string, Upstream>;
  readonly access: ClientAccess;
  readonly guardOf: GuardOf;
  /** Whether shutdown has begun: `readyz` reports it, and every response closes its connection. */
  readonly isDraining: () => boolean;
  /** Whether the proxy refuses new requests. */
  readonly isRefusing: () => boolean;
  readonly createHead: (response: ResponsePlace) => HeadWriter;
  /** Returns the metrics in the Prometheus text format, with their content type. */
  readonly collectMetrics: () => Promise<{ text: string; contentType: string }>;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /**
   * Handles requests for the live page; returns false for other requests. Undefined if the page is disabled.
   */
  readonly page?: ((incoming: IncomingMessage, outgoing: ServerResponse) => boolean) | undefined;
  /** Counts one more request in progress, until the returned function is called. */
  readonly begin: () => () => void;
  /** Handles one request for a provider. May throw or reject: the error becomes the response. */
  readonly handle: (exchange: IncomingExchange) => Promise<void>;
  /** Receives defects: errors other than ProxyError. */
  readonly onDefect: (error: unknown) => void;
  /** The only paths that may be requested; undefined if all may. */
  readonly secretPaths?: SecretPaths | undefined;
}

/** The prefix of the proxy's own routes; it shadows no provider path. */
const OWN_ROUTES = '/_winnow/';

/**
 * Creates the proxy as a listener for Node's HTTP server.
 *
 * There is no router: a path belongs to the proxy or to a provider, and every provider path is forwarded.
 * Node's own objects are used throughout, because two web streams per request cost more than the forwarding
 * itself.
 */
export function createListener(context: AppContext): RequestListener {
  return (incoming, outgoing) => {
    if (context.isDraining()) outgoing.shouldKeepAlive = false;
    const asked = incoming.url ?? '/';
    if (!entersBy(context.secretPaths, incoming)) {
      outgoing.writeHead(404).end();
      return;
    }
    const isOwn = incoming.url?.startsWith(OWN_ROUTES) === true;
    if ((isOwn || incoming.url === '/') && context.page?.(incoming, outgoing)) return;
    if (isOwn) void handleOwnRoute(incoming, outgoing, context);
    else void handleProvider(incoming, outgoing, { asked, context });
  };
}

/** Methods that are forwarded. A server may answer others, such as TRACE, with the headers that it received. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Whether a client waits for `100 Continue` before it sends its body. A refused client is never asked for it.
 * HTTP/1.0 has no such header.
 *
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
function isAwaitingContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect);
}

async function handleProvider(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  /** `asked` is the path in the request line, which a client's signature covers. */
  { asked, context }: { readonly asked: string; readonly context: AppContext },
): Promise<void> {
  const signal = new ClientSignal();
  const request = new NodeRequest(incoming, signal);
  const target = targetOf(incoming, context.upstreams());
  const guard = target === undefined ? 'none' : context.guardOf(target.upstream);
  const page = context.access.pageOf({ headers: incoming.headers, guard });
  const response = new NodeResponse(outgoing, signal, page);
  const head = context.createHead(response);
  let end: (() => void) | undefined;
  try {
    if (context.isRefusing()) {
      await readAway(incoming);
      throw new ProxyError('draining', 'The proxy is shutting down.');
    }
    if (!isPath(incoming.url)) throw new ProxyError('bad_request', 'The request line must contain a path.');
    if (!METHODS.has(incoming.method!))
      throw new ProxyError('method_not_allowed', 'No provider uses this method.');
    const parameters = target === undefined ? [] : queryCredentials(target.query);
    const shown = { headers: incoming.headers, parameters };
    const refusal = context.access.refusal({ ...shown, guard });
    if (page?.allowed !== undefined && isPreflight(incoming.method, incoming.headers)) {
      // A preflight never carries a token; the request that follows it does.
      if (refusal && refusal.code !== 'unauthorized') throw refusal;
      outgoing.writeHead(204, [...readableBy(page, []), ...preflightHeaders(incoming.rawHeaders)]).end();
      return;
    }
    if (refusal) throw refusal;
    if (!target) throw noUpstream(context.upstreams());
    if (climbsOut(target.clientPath))
      throw new ProxyError('bad_request', "The path leads outside the upstream's base path.");
    const { method, headers, rawHeaders } = request;
    // Most requests need not wait for it.
    const signed = concernsSigning(request, target)
      ? await resolveSigning({ method, url: asked, headers, rawHeaders }, target, context.wallClock)
      : target;
    if (isAwaitingContinue(incoming)) outgoing.writeContinue();
    const token = context.access.tokenNameOf(shown);
    const sender = context.access.senderOf({ ...shown, guard });
    end = context.begin();
    await context.handle({ request, response, head, target: signed, signal, token, sender });
  } catch (error) {
    if (signal.aborted) return;
    sendError({ outgoing, head }, toProxyError(error, context.onDefect), vendorOf(incoming, target));
  } finally {
    end?.();
  }
}

function noUpstream(upstreams: ReadonlyMap<string, Upstream>): ProxyError {
  const names = [...upstreams.keys()].map((name) => `/${name}/`).join(', ');
  return new ProxyError('no_upstream', `No upstream serves this path. Begin it with one of ${names}`);
}

/** Metrics name models and servers, which no page of another site may learn from a browser on this machine. */
const NO_METRICS =
  'on this machine, metrics can be read under its own names and those in server.allowed_hosts';

type OwnResponse = { readonly status: number; readonly contentType: string; readonly body: string };

const json = (status: number, value: unknown): OwnResponse => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(value),
});

async function handleOwnRoute(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: AppContext,
): Promise<void> {
  const { status, contentType, body } = await ownResponse(incoming, context).catch((error: unknown) => {
    // Nothing awaits this promise: a rejection would end the process.
    context.onDefect(error);
    return json(500, { status: 'failed' });
  });
  outgoing.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

async function ownResponse(incoming: IncomingMessage, context: AppContext): Promise<OwnResponse> {
  const [path] = incoming.url!.split('?', 1);
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return json(405, { status: 'use GET' });
  switch (path!.slice(OWN_ROUTES.length)) {
    case 'healthz':
      return json(200, { status: 'ok' });
    case 'readyz':
      return context.isDraining() ? json(503, { status: 'draining' }) : json(200, { status: 'ready' });
    case 'metrics': {
      const foreign = isFromHere(incoming.socket) && context.access.foreignRefusal(incoming.headers, 'key');
      if (foreign) return json(PROXY_ERRORS[foreign.code], { status: NO_METRICS });
      const { text, contentType } = await context.collectMetrics();
      return { status: 200, contentType, body: text };
    }
    default:
      return json(404, { status: 'there are healthz, readyz and metrics' });
  }
}

/**
 * Maximum number of bytes to discard after a refusal: more than two hosts ever have in flight between them.
 */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** The time after which a load balancer has noticed that this proxy is stopping, in seconds. */
const RETRY_AFTER_SECONDS = '1';

/**
 * Writes the proxy's own error as the response, or closes the connection if the response has already begun.
 */
function sendError(
  { outgoing, head }: { readonly outgoing: ServerResponse; readonly head: HeadWriter },
  error: ProxyError,
  vendor: Vendor,
): void {
  if (outgoing.headersSent) {
    // Closing the connection is the only way left to show that the response is incomplete.
    outgoing.destroy();
    return;
  }
  const body = errorBody(error, vendor);
  const { req: incoming } = outgoing;
  // A destroyed request cannot be read to its end, so the next one on the connection is unreachable.
  const ending = incoming.complete || !incoming.destroyed ? [] : ['connection', 'close'];
  if (!incoming.complete) discardRest(incoming, MAX_DISCARDED_BYTES);
  const length = String(Buffer.byteLength(body));
  head.write(PROXY_ERRORS[error.code], [
    'content-type',
    'application/json',
    'content-length',
    length,
    ...(error.code === 'draining' ? ['retry-after', RETRY_AFTER_SECONDS] : []),
    ...ending,
  ]);
  outgoing.end(body);
}

/** Returns the error that a request's failure becomes. Defects also go to `onDefect`. */
export function toProxyError(error: unknown, onDefect: (error: unknown) => void): ProxyError {
  if (error instanceof ProxyError) return error;
  if (isTransportError(error)) {
    return new ProxyError('upstream_unreachable', 'The upstream ended its response too early.', {
      cause: error,
    });
  }
  onDefect(error);
  return new ProxyError('internal', 'The proxy failed to forward the request.', { cause: error });
}

/**
 * Whether a request target is a path. An upstream that is itself a proxy would follow an absolute URL
 * anywhere.
 */
function isPath(url = '/'): boolean {
  return url.startsWith('/');
}

export function targetOf(
  { url = '/', headers }: IncomingMessage,
  upstreams: ReadonlyMap<string, Upstream>,
): Target | undefined {
  return isPath(url) ? chooseUpstream({ url, headers }, upstreams) : undefined;
}

/**
 * Returns the vendor whose error format applies: the format's, as one server may speak several formats; else
 * the upstream's; else a guess.
 */
export function vendorOf(
  { method = '', url = '', headers }: IncomingMessage,
  target: Target | undefined,
): Vendor {
  if (target !== undefined)
    return findFormat(method, target.clientPath)?.format.vendor ?? target.upstream.vendor;
  return nearestVendor({ path: url, header: (name) => headers[name]?.toString() });
}

/** The place that a secret path leads to. */
interface SecretPath {
  /** The name of the upstream. */
  readonly upstream: string;
  /** The path that clients may leave out in front of an API's own paths, such as `/v1`. Empty by default. */
  readonly version?: string;
}

/**
 * The only paths of a proxy that serves one command: by a first segment that no other user of the machine can
 * guess.
 */
export type SecretPaths = ReadonlyMap<string, SecretPath>;

/**
 * Replaces the secret start of a request's path by the name of its upstream. Returns false, and changes
 * nothing, for a request without one, which must be refused. Without secret paths, every request may pass
 * unchanged.
 */
export function entersBy(paths: SecretPaths | undefined, incoming: Pick<IncomingMessage, 'url'>): boolean {
  if (paths === undefined) return true;
  const { secret = '', rest = '' } =
    /^\/+(?<secret>[^/?]+)(?<rest>.*)$/s.exec(incoming.url ?? '')?.groups ?? {};
  const place = paths.get(secret);
  if (place === undefined) return false;
  incoming.url = `/${place.upstream}${withVersion(rest, place.version)}`;
  return true;
}

function withVersion(rest: string, version = ''): string {
  return version === '' || `${rest}/`.startsWith(`${version}/`) || !OWN_PATH.test(rest)
    ? rest
    : version + rest;
}

/**
 * Paths below the version that clients call directly below a base URL that they expect to end with it: the
 * AI SDK reads the same variable as Anthropic's own SDK, and expects `/v1` at its end.
 */
const OWN_PATH = /^\/(messages|models|files)\b/;
