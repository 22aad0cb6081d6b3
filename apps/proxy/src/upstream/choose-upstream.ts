import { type RequestAddress, type Vendor, vendorOf, vendorOfPath } from '@winnow/wire';
import type { SignedBy } from '../signing/signed-by.ts';
import { climbsOut } from './climbs-out.ts';
import { upstreamQuery } from './query-credentials.ts';
import type { UpstreamAuth } from './upstream-auth.ts';

/** A place that requests are forwarded to. */
export interface Upstream {
  /** As the configuration calls it. */
  readonly name: string;
  readonly vendor: Vendor;
  /** Such as `https://api.openai.com`. */
  readonly origin: string;
  /** The path of its base URL, without a slash at the end; mostly empty. */
  readonly basePath: string;
  readonly auth: UpstreamAuth;
  /** Whether it is a server of this machine that asks nobody who he is. False by default. */
  readonly isNeighbour?: boolean;
  /** The first segment of its server's own paths, which belongs to the path also where it is the upstream's name; undefined when there is none. */
  readonly pathRoot?: string | undefined;
  /** How often a later round of an exchange that fails in passing is asked for again. */
  readonly retryAttempts: number;
  /** How long the upstream may send nothing within a search loop, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Whether deferred tools may be marked instead of left out; `auto`: by the model's name and the origin. */
  readonly native: Choice;
  /** Whether requests of clients that defer by themselves are rewritten, as it cannot. False by default. */
  readonly isPolyfilled?: boolean;
  /** Whether its models bind their thinking to the tools; `auto`: by the model's name. */
  readonly thinkingBound: Choice;
  /** Whether the value of a credential's header is a token of the proxy's own clients, which goes no further. */
  readonly isOwnToken?: (value: string) => boolean;
}

/** What an operator says of an upstream, or leaves to what is known. */
export type Choice = 'auto' | 'on' | 'off';

/** Where one request goes. */
export interface Target {
  readonly upstream: Upstream;
  /** The client's path without an upstream's prefix, and without the query: what formats are recognised by. */
  readonly clientPath: string;
  /** As the client wrote it, from its question mark on; empty when there is none. */
  readonly query: string;
  /** Path and query for the upstream. */
  readonly path: string;
  /** Who has signed the request; undefined where its client has not. */
  readonly signedBy?: SignedBy | undefined;
  /** Whether the client has signed it for the upstream itself, and nobody else can: then nothing of it may be changed. */
  readonly isSealed?: true;
}

/** What is looked at to choose. */
export interface RequestHead {
  /** Path and query as they stand in the request line. */
  readonly url: string;
  /** By small name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * The upstream of a request, or undefined when none fits.
 *
 * A path that begins with an upstream's name goes there, the name left out. Otherwise the vendor decides: `/v1/messages` is
 * `anthropic`, `/v1/chat/completions` is `openai`; of the paths that both have, an `anthropic-version` header or a key of the form
 * `sk-ant-…` means `anthropic`. A path of no vendor's has no upstream. Azure's paths begin with `/openai`: with an upstream of that name at
 * Azure, that is no name but the path.
 * Path and query travel as they are spelt, but for a key that the query holds.
 */
export function chooseUpstream(
  { url, headers }: RequestHead,
  upstreams: ReadonlyMap<string, Upstream>,
): Target | undefined {
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
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

/** What a format knows of where a request goes. */
export function clientAddress({ clientPath, query }: Target): RequestAddress {
  return { path: clientPath, query };
}

/** Path and query at an upstream for those that a client or a format means. */
export function upstreamPath(upstream: Upstream, { path, query }: RequestAddress): string {
  return upstream.basePath + withoutOverlap(upstream.basePath, path) + upstreamQuery(query, upstream);
}

/** A path without the name of its upstream, which begins it. */
function pathWithin({ pathRoot }: Upstream, path: string, name: string): string {
  const rest = path.slice(name.length + 1);
  const isOfPath = name === pathRoot && rest !== '' && !rest.startsWith(`/${name}/`);
  return isOfPath ? path : rest || '/';
}

/**
 * A base URL is often given as clients take it, with `/v1` or `/openai/v1` at its end, and clients send that as well: once is meant. A rest
 * that would climb out of the base path keeps what it begins with.
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
