import { timingSafeEqual } from 'node:crypto';
import { ALGORITHM, type AwsCredentials, awsAuthorization, awsSignature, sha256 } from './aws-signature.ts';
import type { Target, Upstream } from './choose-upstream.ts';
import type { ClientRequest } from './client.ts';
import { headerValue, type RawHeaders, SIGNATURE_HEADERS } from './headers.ts';
import { ProxyError } from './proxy-error.ts';
import type { SendUpstream, UpstreamRequest, UpstreamResponse } from './send-upstream.ts';
import type { SigningAuth } from './upstream-auth.ts';

/**
 * Decides how a signed request, or one that needs a signature, is sent. A client's signature covers the host
 * that it calls, so it is invalid for any other: such a request is signed again or refused. Only a request
 * signed for the upstream's own host may pass unchanged.
 *
 * `now` returns milliseconds since 1970.
 *
 * @throws ProxyError with `no_credentials` if no credentials are available.
 */
export async function resolveSigning(
  { method, url, rawHeaders, headers }: Pick<ClientRequest, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  target: Target,
  now: () => number,
): Promise<Target> {
  const { upstream } = target;
  const { auth } = upstream;
  const isClients = isSigned(rawHeaders);
  const credentials = auth.kind === 'sigv4' ? await auth.credentials() : undefined;
  if (credentials !== undefined) {
    if (!isClients) return target;
    const isKnown = isSignedWith({ method, path: url, headers: rawHeaders }, credentials, now());
    return { ...target, signedBy: isKnown ? { accessKeyId: credentials.accessKeyId } : 'unknown' };
  }
  const mustSign = auth.kind === 'sigv4' || (isClients && auth.kind === 'forward');
  if (!mustSign) return isClients ? { ...target, signedBy: 'unknown' } : target;
  const isForUpstream = isClients && headers.host?.toString().toLowerCase() === new URL(upstream.origin).host;
  if (!isForUpstream) throw missingCredentials(upstream);
  const asItCame: Upstream = { ...upstream, auth: { kind: 'forward' } };
  return { ...target, upstream: asItCame, signedBy: 'unknown', isSealed: true };
}

/** Whether `resolveSigning` may change the target of a request. */
export function concernsSigning({ rawHeaders }: Pick<ClientRequest, 'rawHeaders'>, target: Target): boolean {
  return target.upstream.auth.kind === 'sigv4' || isSigned(rawHeaders);
}

/** Returns the error that names the settings to set. */
function missingCredentials({ name, auth }: Upstream): ProxyError {
  const setting =
    auth.kind === 'sigv4'
      ? 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of the proxy'
      : `set upstreams.${name}.auth: sigv4 and give the proxy credentials, or send a Bedrock API key`;
  const message = `Requests to the upstream "${name}" need the proxy's signature, but the proxy has no credentials: ${setting}.`;
  return new ProxyError('no_credentials', message);
}

/** Memory that the body of one request holds. */
interface BodyHold {
  /** Takes more bytes; returns false and takes none if they are not available. */
  take(bytes: number): boolean;
  /** Returns all of them. */
  release(): void;
}

/** Context for signing requests. */
interface SigningContext {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** The largest body to buffer for signing, in bytes. */
  readonly limitBytes: number;
  /** Opens a hold on the shared memory for one request. */
  readonly openHold: () => BodyHold;
}

/**
 * Wraps a send so that every request to an upstream that requires it is signed. The signature covers the
 * exact bytes sent, so an unread body is read first, unless the client has declared its hash, which the
 * upstream verifies.
 *
 * The returned send rejects with `no_credentials` if no credentials are available.
 */
export function signedSend(send: SendUpstream, context: SigningContext): SendUpstream {
  return (request) => {
    const { auth } = request.upstream;
    return auth.kind === 'sigv4' ? sendSigned(send, { ...request, auth }, context) : send(request);
  };
}

async function sendSigned(
  send: SendUpstream,
  { auth, ...request }: UpstreamRequest & { readonly auth: SigningAuth },
  context: SigningContext,
): Promise<UpstreamResponse> {
  const credentials = await auth.credentials();
  if (credentials === undefined) throw missingCredentials(request.upstream);
  const hold = context.openHold();
  try {
    const { body, bodyHash } = await hashed(request, context, hold);
    const { method, path, upstream } = request;
    const host = new URL(upstream.origin).host;
    const now = context.wallClock();
    const headers = signHeaders(
      { method, path, host, headers: request.headers, bodyHash },
      { ...auth, credentials, now },
    );
    return await send({ ...request, headers, body });
  } finally {
    hold.release();
  }
}

type HashedBody = Pick<UpstreamRequest, 'body'> & { readonly bodyHash: string };

async function hashed(
  { body, headers }: UpstreamRequest,
  { limitBytes }: SigningContext,
  hold: BodyHold,
): Promise<HashedBody> {
  if (body === null || body instanceof Uint8Array) return { body, bodyHash: sha256(body ?? '') };
  const said = headerValue(headers, 'x-amz-content-sha256');
  if (said !== undefined && /^[0-9a-f]{64}$/.test(said)) return { body, bodyHash: said };
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limitBytes) {
      throw new ProxyError('body_too_large', `The request body is larger than ${limitBytes} bytes.`);
    }
    if (!hold.take(piece.length)) throw new ProxyError('short_of_memory', SHORT_OF_MEMORY);
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces, length);
  return { body: whole, bodyHash: sha256(whole) };
}

const SHORT_OF_MEMORY = 'The proxy has no memory left to read and sign this request. Try again.';

/** A request to sign. */
interface UnsignedRequest {
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
interface Signer {
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

/** A request as its client signed it. */
interface SignedRequest {
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
