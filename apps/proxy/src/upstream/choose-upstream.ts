import { isLoopback } from '@winnow/service';
import {
  cloudOf,
  type LoadMode,
  type RequestAddress,
  type Vendor,
  vendorNamed,
  vendorOf,
  vendorOfPath,
} from '@winnow/wire';
import type { UpstreamSettings } from '../config/config.ts';
import { type AwsAccess, readAuth, type UpstreamAuth, upstreamQuery } from './upstream-auth.ts';

/** A destination for requests. */
export interface Upstream {
  /** The name in the configuration. */
  readonly name: string;
  readonly vendor: Vendor;
  /** Such as `https://api.openai.com`. */
  readonly origin: string;
  /** The path of the base URL without a trailing slash; usually empty. */
  readonly basePath: string;
  readonly auth: UpstreamAuth;
  /** Whether it is a server on this machine that authenticates no client. False by default. */
  readonly isNeighbour?: boolean;
  /**
   * The first segment of the server's own paths; it stays part of the path even if it equals the upstream's
   * name. Undefined if there is none.
   */
  readonly pathRoot?: string | undefined;
  /** Number of retries when a later round of an exchange fails temporarily. */
  readonly retryAttempts: number;
  /** Longest silence of the upstream within a search loop, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** The load mode; `auto`: by the model's name, the origin and the price of cached input. */
  readonly load: 'auto' | LoadMode;
  /**
   * Whether the proxy rewrites requests of clients that defer tools themselves because the upstream cannot.
   * False by default.
   */
  readonly isPolyfilled?: boolean;
  /** Whether a credential's value is one of the proxy's own client tokens, which are never forwarded. */
  readonly isOwnToken?: (value: string) => boolean;
}

/** An operator's choice, or `auto` to decide by known facts. */
export type Choice = 'auto' | 'on' | 'off';

/** The destination of one request. */
export interface Target {
  readonly upstream: Upstream;
  /** The client's path without the upstream's prefix and the query; formats are recognised by it. */
  readonly clientPath: string;
  /** The query as the client wrote it, including the question mark; empty if there is none. */
  readonly query: string;
  /** Path and query for the upstream. */
  readonly path: string;
  /** The signer of the request; undefined if the client has not signed it. */
  readonly signedBy?: SignedBy | undefined;
  /**
   * Whether the client has signed the request for the upstream itself, and the proxy cannot sign: no part of
   * it may change.
   */
  readonly isSealed?: true;
}

/** The parts of a request that determine its upstream. */
interface RequestHead {
  /** Path and query from the request line. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Returns the upstream of a request, or undefined if none matches.
 *
 * A path that begins with an upstream's name goes to that upstream, without the name. Otherwise the vendor
 * decides: `/v1/messages` is `anthropic`, `/v1/chat/completions` is `openai`; for paths that both have, an
 * `anthropic-version` header or a key of the form `sk-ant-…` means `anthropic`. A path of no vendor has no
 * upstream. Azure's paths begin with `/openai`: if an upstream of that name is on Azure, the segment stays
 * part of the path. Path and query are forwarded as spelled, except for keys in
 * the query and repeated slashes at the start.
 */
export function chooseUpstream(
  { url, headers }: RequestHead,
  upstreams: ReadonlyMap<string, Upstream>,
): Target | undefined {
  const queryAt = url.indexOf('?');
  // Google's live client doubles the slash after its base URL.
  const path = (queryAt < 0 ? url : url.slice(0, queryAt)).replace(/^\/{2,}/, '/');
  const query = queryAt < 0 ? '' : url.slice(queryAt);
  const toTarget = (upstream: Upstream | undefined, clientPath: string): Target | undefined =>
    upstream && {
      upstream,
      clientPath,
      query,
      path: upstreamPath(upstream, { path: clientPath, query }),
    };

  const own = vendorOfPath(path);
  if (own !== undefined) return toTarget(upstreams.get(own.name), path);
  const [, first = ''] = path.split('/', 2);
  const prefixed = upstreams.get(first);
  if (prefixed) return toTarget(prefixed, pathWithin(prefixed, path, first));
  const vendor = vendorOf({ path, header: (name) => headers[name]?.toString() });
  return toTarget(vendor && upstreams.get(vendor.name), path);
}

/** Returns the address that a format sees. */
export function clientAddress({ clientPath, query }: Target): RequestAddress {
  return { path: clientPath, query };
}

/** Returns path and query at an upstream for an address that a client or a format uses. */
export function upstreamPath(upstream: Upstream, { path, query }: RequestAddress): string {
  return upstream.basePath + withoutOverlap(upstream.basePath, path) + upstreamQuery(query, upstream);
}

/** Removes the upstream's name from the start of a path. */
function pathWithin({ pathRoot }: Upstream, path: string, name: string): string {
  const rest = path.slice(name.length + 1);
  const isOfPath = name === pathRoot && rest !== '' && !rest.startsWith(`/${name}/`);
  return isOfPath ? path : rest || '/';
}

/**
 * Removes the overlap between base path and client path: base URLs often end with `/v1` or `/openai/v1`, and
 * clients send it again. Keeps the overlap if the rest would climb out of the base path.
 */
function withoutOverlap(basePath: string, clientPath: string): string {
  if (basePath === '') return clientPath;
  const base = basePath.slice(1).split('/');
  const client = clientPath.slice(1).split('/');
  for (let count = Math.min(base.length, client.length); count > 0; count--) {
    if (base.slice(-count).every((segment, at) => segment === client[at])) {
      const rest = clientPath.slice(base.slice(-count).join('/').length + 1);
      return climbsOut(rest) ? clientPath : rest;
    }
  }
  return clientPath;
}

/** Creates the enabled upstreams of the configuration, by name, with parsed addresses. */
export function createUpstreams(
  settings: Readonly<Record<string, UpstreamSettings>>,
  isOwnToken: (value: string) => boolean = () => false,
  aws?: AwsAccess,
): ReadonlyMap<string, Upstream> {
  const enabled = Object.entries(settings).filter(([, { enabled }]) => enabled);
  const upstreams = enabled.map(([name, settings]): Upstream => {
    const { origin, pathname, hostname } = new URL(settings.base_url);
    const vendor = vendorNamed(settings.format);
    return {
      name,
      vendor,
      origin,
      basePath: pathname.replace(/\/+$/, ''),
      auth: readAuth(settings, vendor, origin, aws),
      isNeighbour: isLoopback(hostname) && isLoopback(new URL(vendor.baseUrl).hostname),
      pathRoot: cloudOf(vendor, origin)?.pathRoot,
      load: settings.load,
      isPolyfilled: settings.polyfill === 'on',
      retryAttempts: settings['retry.attempts'],
      idleTimeoutMs: settings.idle_timeout,
      isOwnToken,
    };
  });
  return new Map(upstreams.map((upstream) => [upstream.name, upstream]));
}

/** Only such paths can contain a `..` step, in any encoding. */
const SUSPICIOUS = /\.\.|%2e|%25/i;

/** Maximum number of repeated encodings to decode; no known server decodes more. */
const MOST_DECODINGS = 3;

/**
 * Whether a path leads above its root by `..` in any form that a server may accept: `%2e%2e`, `..%2f`,
 * backslashes, repeated encodings, or parameters (`..;a=b`). Such a path would leave the upstream's base
 * path.
 */
export function climbsOut(path: string): boolean {
  if (!SUSPICIOUS.test(path)) return false;
  let spelt = path;
  for (let count = 0; count <= MOST_DECODINGS; count++) {
    if (isAboveRoot(spelt)) return true;
    spelt = spelt.replace(/%(25|2e|2f|5c)/gi, (_, code: string) => DECODED[code.toLowerCase()]!);
  }
  return false;
}

const DECODED: Readonly<Record<string, string>> = { '25': '%', '2e': '.', '2f': '/', '5c': '\\' };

function isAboveRoot(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    const [step] = segment.split(';', 1);
    if (step === '..') depth--;
    else if (step !== '' && step !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The signer of a request: the access key id of the proxy's own credentials, or an unknown client. */
export type SignedBy = { readonly accessKeyId: string } | 'unknown';
