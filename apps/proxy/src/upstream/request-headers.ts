import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { connectionNames, type RawHeaders } from '../http/headers.ts';
import { SIGNATURE_HEADERS } from '../signing/signature-headers.ts';
import type { Upstream } from './choose-upstream.ts';

/** Headers of a client that go no further. */
const DROPPED = new Set([
  // Those of one connection, by RFC 9110 section 7.6.1, and those that are written anew for the next one.
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  // What tells of the client's surroundings, not of its request.
  'origin',
  'referer',
  'cookie',
  'forwarded',
]);

const CREDENTIALS = new Set(CREDENTIAL_HEADERS);

/** The same, by how their names begin: those of other proxies, and those that are addressed to this one. */
const DROPPED_PREFIX = /^(?:proxy|x-forwarded|x-winnow)-/;

/** What is done to a client's headers on the way to the upstream. */
export interface RequestHeaderEdit {
  readonly upstream: Upstream;
  /** Headers to leave out and to write anew, by small name; such as `content-encoding` for a body that was decoded. */
  readonly replace?: Readonly<Record<string, string | undefined>>;
}

/** The headers of a request to the upstream: the client's, without those of its connection, in its order. */
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
      DROPPED.has(name) ||
      Object.hasOwn(replace, name) ||
      DROPPED_PREFIX.test(name) ||
      ofConnection.has(name) ||
      (auth.kind === 'header' && name === auth.name) ||
      // Where the request is signed anew, its signer leaves them out, and needs one of them.
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
