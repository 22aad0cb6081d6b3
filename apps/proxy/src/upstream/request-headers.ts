import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { connectionNames, type RawHeaders } from '../http/headers.ts';
import { SIGNATURE_HEADERS } from '../signing/signature-headers.ts';
import type { Upstream } from './choose-upstream.ts';

/** Client headers that are not forwarded. */
const DROPPED = new Set([
  // Hop-by-hop headers (RFC 9110 section 7.6.1) and those that are rewritten for the next hop.
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  // Headers about the client's environment, not its request.
  'origin',
  'referer',
  'cookie',
  'forwarded',
]);

const CREDENTIALS = new Set(CREDENTIAL_HEADERS);

/** Prefixes of dropped headers: those of other proxies, and those addressed to this one. */
const DROPPED_PREFIX = /^(?:proxy|x-forwarded|x-winnow)-/;

/** Whether a client's header is meant for the provider: others concern the connection or the client's surroundings. */
export function isForwarded(name: string): boolean {
  return !DROPPED.has(name) && !DROPPED_PREFIX.test(name);
}

/** Edits to a client's headers on the way to the upstream. */
export interface RequestHeaderEdit {
  readonly upstream: Upstream;
  /** Headers to omit or replace, by lower-case name; such as `content-encoding` for a decoded body. */
  readonly replace?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the headers of a request to the upstream: the client's in their order, without hop-by-hop headers.
 */
export function toUpstreamHeaders(
  client: RawHeaders,
  { upstream, replace = {} }: RequestHeaderEdit,
): string[] {
  const { auth } = upstream;
  const ofConnection = connectionNames(client);
  const headers: string[] = [];
  for (let at = 0; at < client.length; at += 2) {
    const name = client[at]!.toLowerCase();
    const isDropped =
      !isForwarded(name) ||
      Object.hasOwn(replace, name) ||
      ofConnection.has(name) ||
      (auth.kind === 'header' && name === auth.name) ||
      // For a request that the proxy signs, the signer removes them and needs one of them.
      ((auth.kind === 'header' || auth.kind === 'query') && SIGNATURE_HEADERS.has(name)) ||
      (CREDENTIALS.has(name) && (auth.kind !== 'forward' || upstream.isOwnToken?.(client[at + 1]!) === true));
    if (!isDropped) headers.push(client[at]!, client[at + 1]!);
  }
  if (auth.kind === 'header') headers.push(auth.name, auth.value);
  for (const [name, value] of Object.entries(replace)) {
    if (value !== undefined) headers.push(name, value);
  }
  return headers;
}
