/** Whose shapes an upstream speaks. */
export type Vendor = 'openai' | 'anthropic';

/** A place that requests are forwarded to. */
export interface Upstream {
  /** As the configuration calls it. */
  readonly name: string;
  readonly vendor: Vendor;
  /** Such as `https://api.openai.com`. */
  readonly origin: string;
  /** The path of its base URL, without a slash at the end; mostly empty. */
  readonly basePath: string;
  /** Replaces the client's credential; empty to forward that. */
  readonly apiKey: string;
}

/** Where one request goes. */
export interface Target {
  readonly upstream: Upstream;
  /** The client's path without an upstream's prefix, and without the query: what formats are recognised by. */
  readonly clientPath: string;
  /** Path and query for the upstream. */
  readonly path: string;
}

/** What is looked at to choose. */
export interface RequestHead {
  /** Path and query as they stand in the request line. */
  readonly url: string;
  readonly hasAnthropicVersion: boolean;
}

/**
 * The upstream of a request, or undefined when none fits.
 *
 * A path that begins with an upstream's name goes there, the name left out. Otherwise the path decides: `/v1/messages` is
 * `anthropic`, `/v1/chat/completions` is `openai`; of the paths that both have, an `anthropic-version` header means `anthropic`.
 * Path and query travel as they are spelt, never decoded.
 */
export function chooseUpstream(
  { url, hasAnthropicVersion }: RequestHead,
  upstreams: ReadonlyMap<string, Upstream>,
): Target | undefined {
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const query = queryAt < 0 ? '' : url.slice(queryAt);
  const toTarget = (upstream: Upstream | undefined, clientPath: string): Target | undefined =>
    upstream && {
      upstream,
      clientPath,
      path: upstream.basePath + withoutDouble(upstream, clientPath) + query,
    };

  const [, first = ''] = path.split('/', 2);
  const prefixed = AZURE_PATH.test(path) ? undefined : upstreams.get(first);
  if (prefixed) return toTarget(prefixed, path.slice(first.length + 1) || '/');
  return toTarget(upstreams.get(vendorOf(path, hasAnthropicVersion)), path);
}

/** Azure's own paths begin with `openai`, which is no upstream's name there. */
const AZURE_PATH = /^\/openai\/deployments\//;
const MESSAGES_PATH = /^\/v1\/messages(\/|$)/;
const COMPLETIONS_PATH = /^\/v1\/chat\/completions(\/|$)/;

function vendorOf(path: string, hasAnthropicVersion: boolean): Vendor {
  if (MESSAGES_PATH.test(path)) return 'anthropic';
  if (COMPLETIONS_PATH.test(path)) return 'openai';
  return hasAnthropicVersion ? 'anthropic' : 'openai';
}

/** A base URL is often given as clients take it, with `/v1` at its end, and clients send `/v1` as well: once is meant. */
function withoutDouble({ basePath }: Upstream, clientPath: string): string {
  return basePath.endsWith('/v1') && /^\/v1(\/|$)/.test(clientPath)
    ? clientPath.slice('/v1'.length)
    : clientPath;
}
