import { createHash, createHmac } from 'node:crypto';
import { decodePercent } from '@winnow/core';

/** Credentials of AWS. Kept in memory only. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Present with temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** The scope of a signature: it is valid for one day, region and service. */
interface SigningScope {
  /** Such as `20150830T123600Z`. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The signed parts of a request. */
interface SignedParts {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Lower-case names with values; repeated headers in the order in which they are sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string;
}

/** The name of the signature algorithm; a signed `authorization` header begins with it. */
export const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the value of `authorization` by which AWS identifies the sender: its Signature Version 4.
 *
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html; tested
 * with the vectors that AWS has published.
 */
export function awsAuthorization(
  parts: SignedParts,
  scope: SigningScope,
  { accessKeyId, secretAccessKey }: AwsCredentials,
): string {
  const credential = `${accessKeyId}/${scopeOf(scope)}`;
  const signature = awsSignature(parts, scope, secretAccessKey);
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedNames(parts)}, Signature=${signature}`;
}

/** Returns only the signature, in hexadecimal. */
export function awsSignature(parts: SignedParts, scope: SigningScope, secretAccessKey: string): string {
  const text = [ALGORITHM, scope.date, scopeOf(scope), sha256(canonicalRequest(parts))].join('\n');
  const { date, region, service } = scope;
  const key = [date.slice(0, 8), region, service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Returns the SHA-256 of a body or a text, in hexadecimal. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function scopeOf({ date, region, service }: SigningScope): string {
  return `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
}

function canonicalRequest(parts: SignedParts): string {
  const { method, path, bodyHash } = parts;
  const queryAt = path.indexOf('?');
  const ownPath = queryAt < 0 ? path : path.slice(0, queryAt);
  const query = queryAt < 0 ? '' : path.slice(queryAt + 1);
  const headers = canonicalHeaders(parts).map(([name, value]) => `${name}:${value}\n`);
  return [
    method,
    canonicalPath(ownPath),
    canonicalQuery(query),
    headers.join(''),
    signedNames(parts),
    bodyHash,
  ].join('\n');
}

function signedNames(parts: SignedParts): string {
  return canonicalHeaders(parts)
    .map(([name]) => name)
    .join(';');
}

function canonicalHeaders({ headers }: SignedParts): [name: string, value: string][] {
  const byName = Map.groupBy(headers, ([name]) => name);
  return [...byName]
    .map(([name, same]): [string, string] => [name, same.map(([, value]) => trimmed(value)).join(',')])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function trimmed(value: string): string {
  return value.trim().replaceAll(/ +/g, ' ');
}

/**
 * Resolves `.` and `..` segments, and encodes the path once more: an escape in the sent path is escaped
 * again.
 */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(encode(segment));
  }
  const isFolder = /\/\.{0,2}$/.test(path) && segments.length > 0;
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [encode(decodePercent(name)), encode(decodePercent(value))] as const;
    })
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Encodes by RFC 3986: everything except letters, digits, `-`, `.`, `_` and `~`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
