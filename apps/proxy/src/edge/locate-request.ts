import type { IncomingMessage } from 'node:http';
import { nearestVendor, type Vendor } from '@winnow/wire';
import { findFormat } from '../reading/find-format.ts';
import { chooseUpstream, type Target, type Upstream } from '../upstream/choose-upstream.ts';

/** An upstream that is a proxy itself would go wherever a whole address leads. */
export function isPath(url = '/'): boolean {
  return url.startsWith('/');
}

export function targetOf(
  { url = '/', headers }: IncomingMessage,
  upstreams: ReadonlyMap<string, Upstream>,
): Target | undefined {
  return isPath(url) ? chooseUpstream({ url, headers }, upstreams) : undefined;
}

/** Whose shape an error has: that of the format, as one server may speak several, else the upstream's, else a guess. */
export function vendorOf(
  { method = '', url = '', headers }: IncomingMessage,
  target: Target | undefined,
): Vendor {
  if (target !== undefined)
    return findFormat(method, target.clientPath)?.format.vendor ?? target.upstream.vendor;
  return nearestVendor({ path: url, header: (name) => headers[name]?.toString() });
}
