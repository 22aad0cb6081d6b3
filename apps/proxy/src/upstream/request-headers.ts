import { CREDENTIAL_HEADERS } from '@winnow/wire';
import { SIGNATURE_HEADERS } from '../signing/signature-headers.ts';
import type { Upstream } from './choose-upstream.ts';

/** Names and values, one after the other, as Node keeps them: order, case and repetition are the client's. */
export type RawHeaders = readonly string[];

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

/** The value of a header, the repeated ones joined; undefined when there is none. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const here = headers[at]!;
    // Most names are of another length: none of those is made small.
    if (here.length !== name.length || here.toLowerCase() !== name) continue;
    value = value === undefined ? headers[at + 1]! : `${value}, ${headers[at + 1]!}`;
  }
  return value;
}

/** Small names of the headers that `Connection` names: they are of this connection only. */
export function connectionNames(headers: RawHeaders): ReadonlySet<string> {
  const value = headerValue(headers, 'connection');
  if (value === undefined) return NO_NAMES;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

const NO_NAMES: ReadonlySet<string> = new Set();
