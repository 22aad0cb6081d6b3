import { timingSafeEqual } from 'node:crypto';
import { headerValue, type RawHeaders } from '../http/headers.ts';
import { ALGORITHM, type AwsCredentials, awsSignature } from './aws-signature.ts';

/** A request as its client signed it. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query from the request line. */
  readonly path: string;
  readonly headers: RawHeaders;
}

/** Allowed clock skew of a client, in milliseconds: the same as AWS allows. */
const MOST_SKEW_MS = 15 * 60_000;

/** Whether the client has signed a request, for any host. */
export function isSigned(headers: RawHeaders): boolean {
  return headerValue(headers, 'authorization')?.startsWith(`${ALGORITHM} `) === true;
}

/**
 * Whether a client has signed its request with the secret of these credentials. It then knows them, and its
 * requests belong to one tenant.
 *
 * The hash in `x-amz-content-sha256` is not compared with the body, as only knowledge of the secret matters.
 * Without that header the result is false. `now` is in milliseconds since 1970.
 */
export function isSignedWith(
  { method, path, headers }: SignedRequest,
  credentials: AwsCredentials,
  now: number,
): boolean {
  const claim = readClaim(headers);
  const bodyHash = headerValue(headers, 'x-amz-content-sha256');
  const date = headerValue(headers, 'x-amz-date');
  if (claim === undefined || bodyHash === undefined || date === undefined) return false;
  if (claim.accessKeyId !== credentials.accessKeyId || Math.abs(now - timeOf(date)) > MOST_SKEW_MS)
    return false;
  if (Number.isNaN(timeOf(date)) || !REQUIRED.every((name) => claim.names.includes(name))) return false;
  const signed = claim.names.map((name) => [name, headerValue(headers, name) ?? ''] as const);
  const { region, service } = claim;
  const expected = awsSignature(
    { method, path, headers: signed, bodyHash },
    { date, region, service },
    credentials.secretAccessKey,
  );
  return (
    claim.signature.length === expected.length &&
    timingSafeEqual(Buffer.from(claim.signature), Buffer.from(expected))
  );
}

/** Headers that the signature must cover; otherwise it could belong to another request. */
const REQUIRED = ['host', 'x-amz-date', 'x-amz-content-sha256'];

interface Claim {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  readonly names: readonly string[];
  readonly signature: string;
}

function readClaim(headers: RawHeaders): Claim | undefined {
  const value = headerValue(headers, 'authorization') ?? '';
  const found = CLAIM.exec(value)?.groups;
  if (found === undefined) return undefined;
  const { accessKeyId, region, service, names, signature } = found as Record<string, string>;
  return {
    accessKeyId: accessKeyId!,
    region: region!,
    service: service!,
    names: names!.split(';'),
    signature: signature!,
  };
}

const CLAIM =
  /^AWS4-HMAC-SHA256 Credential=(?<accessKeyId>[^/,\s]{1,128})\/\d{8}\/(?<region>[\w-]{1,64})\/(?<service>[\w-]{1,64})\/aws4_request, ?SignedHeaders=(?<names>[\w;-]{1,2048}), ?Signature=(?<signature>[0-9a-f]{64})$/;

/** Milliseconds since 1970; NaN unless the date has the form `20150830T123600Z`. */
function timeOf(date: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date);
  if (parts === null) return Number.NaN;
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
