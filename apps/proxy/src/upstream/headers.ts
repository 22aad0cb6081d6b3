import { CREDENTIAL_HEADERS } from '@winnow/wire';
import type { Upstream } from './choose-upstream.ts';

/** Names and values in turn, as Node keeps them, in the sender's order, case and repetition. */
export type RawHeaders = readonly string[];

/** Headers by lower-case name, as Node provides them. */
export type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the value of a header, repeated values joined; undefined if there is none. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const here = headers[at]!;
    // Most names differ in length, so lower-casing them is unnecessary.
    if (here.length !== name.length || here.toLowerCase() !== name) continue;
    value = value === undefined ? headers[at + 1]! : `${value}, ${headers[at + 1]!}`;
  }
  return value;
}

/** Returns the lower-case names that `Connection` lists: these headers belong to this connection only. */
function connectionNames(headers: RawHeaders): ReadonlySet<string> {
  const value = headerValue(headers, 'connection');
  if (value === undefined) return NO_NAMES;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The header for a client's token if the client does not send it in its provider's credential header. */
export const ACCESS_HEADER = 'x-winnow-token';

/** The request header that chooses the arm, if the settings allow it. */
export const MODE_HEADER = 'x-winnow-mode';

/** Headers of the upstream's connection, and those meant for browsers of the upstream's own clients. */
const DROPPED_FROM_RESPONSES = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'alt-svc',
  'set-cookie',
]);

/** Headers that describe bytes which the proxy has changed. */
const OF_THE_BYTES = new Set(['content-encoding', 'content-length', 'content-md5', 'digest', 'etag']);

/**
 * The fate of a body on its way to the client. A `measured` body gets the length of the bytes that are sent.
 */
type BodyFate = 'untouched' | 'measured' | 'rewritten';

/** Returns the headers of the response to the client. An untouched body keeps its length and encoding. */
export function toClientHeaders(upstream: RawHeaders, fate: BodyFate): string[] {
  const ofConnection = connectionNames(upstream);
  const headers: string[] = [];
  for (let at = 0; at < upstream.length; at += 2) {
    const name = upstream[at]!.toLowerCase();
    const isOfBytes = fate === 'measured' ? name === 'content-length' : OF_THE_BYTES.has(name);
    if (DROPPED_FROM_RESPONSES.has(name) || ofConnection.has(name) || (fate !== 'untouched' && isOfBytes))
      continue;
    headers.push(upstream[at]!, upstream[at + 1]!);
  }
  return headers;
}

/** Remaining rate limits at the provider: only the last response has current values. */
const OF_LIMITS = /^(anthropic-ratelimit-|x-ratelimit-)/;

/** Figures of a single response (Bedrock). The body has the totals. */
const OF_ONE_RESPONSE = /^x-amzn-bedrock-.*-(count|latency)$/;

/**
 * Merges the headers of joined responses: those of the first with the rate limits of the last, without the
 * figures of a single response.
 */
export function mergeHeaders(first: RawHeaders, last: RawHeaders): string[] {
  const isLimit = (name: string) => OF_LIMITS.test(name.toLowerCase());
  const isOfOne = (name: string) => first !== last && OF_ONE_RESPONSE.test(name.toLowerCase());
  return [...pick(first, (name) => !isLimit(name) && !isOfOne(name)), ...pick(last, isLimit)];
}

function pick(headers: RawHeaders, isWanted: (name: string) => boolean): string[] {
  const picked: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (isWanted(headers[at]!)) picked.push(headers[at]!, headers[at + 1]!);
  }
  return picked;
}

/** Client headers that are not forwarded. */
const DROPPED_FROM_REQUESTS = new Set([
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
  return !DROPPED_FROM_REQUESTS.has(name) && !DROPPED_PREFIX.test(name);
}

/** Edits to a client's headers on the way to the upstream. */
interface RequestHeaderEdit {
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

/**
 * Headers of a signature, and the retry headers that a client signed with it. They apply only to the client's
 * own request.
 */
export const SIGNATURE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
]);
