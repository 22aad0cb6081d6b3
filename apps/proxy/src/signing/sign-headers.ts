import type { RawHeaders } from '../http/headers.ts';
import { type AwsCredentials, awsAuthorization } from './aws-signature.ts';
import { SIGNATURE_HEADERS } from './signature-headers.ts';

/** A request to sign. */
export interface UnsignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The value of the upstream's `host` header. */
  readonly host: string;
  readonly headers: RawHeaders;
  /** The SHA-256 of the body, in hexadecimal. */
  readonly bodyHash: string;
}

/** The credentials, scope and time of a signature. */
export interface Signer {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Returns the headers of a request with a new signature in place of the client's. */
export function signHeaders(
  { method, path, host, headers, bodyHash }: UnsignedRequest,
  { credentials, region, service, now }: Signer,
): string[] {
  const date = dateOf(now);
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!SIGNATURE_HEADERS.has(headers[at]!.toLowerCase())) kept.push(headers[at]!, headers[at + 1]!);
  }
  kept.push('x-amz-date', date, 'x-amz-content-sha256', bodyHash);
  if (credentials.sessionToken) kept.push('x-amz-security-token', credentials.sessionToken);
  const parts = { method, path, headers: [['host', host] as const, ...signedOf(kept)], bodyHash };
  return [...kept, 'authorization', awsAuthorization(parts, { date, region, service }, credentials)];
}

/**
 * Returns the headers that AWS wants signed. Signing others would break the request if an intermediary
 * changes them.
 */
function signedOf(headers: RawHeaders): (readonly [name: string, value: string])[] {
  const signed: (readonly [string, string])[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (name === 'content-type' || name.startsWith('x-amz')) signed.push([name, headers[at + 1]!]);
  }
  return signed;
}

/** Formats a time such as `20150830T123600Z`. */
function dateOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}
