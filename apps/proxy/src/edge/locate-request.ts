import type { IncomingMessage } from 'node:http';
import { nearestVendor, type Vendor } from '@winnow/wire';
import { findFormat } from '../reading/find-format.ts';
import { chooseUpstream, type Target, type Upstream } from '../upstream/choose-upstream.ts';

/**
 * Whether a request target is a path. An upstream that is itself a proxy would follow an absolute URL
 * anywhere.
 */
export function isPath(url = '/'): boolean {
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
