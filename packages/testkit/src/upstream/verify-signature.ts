import { createHash, createHmac } from 'node:crypto';
import type { RequestContent } from './received-request.ts';
import type { Rejection } from './rejection.ts';

/** The credentials and scope that a signature must have. */
export interface Signing {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service: string;
}

/**
 * Returns the error with which AWS refuses a request whose signature does not verify; undefined for a valid
 * one. Computes the signature from the received bytes by independent code.
 *
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html. Clocks
 * are not compared.
 */
export function verifySignature(request: RequestContent, signing: Signing): Rejection | undefined {
  const { headers, bytes } = request;
  const refuse = (message: string): Rejection => ({
    status: 403,
    message,
    errorType: 'InvalidSignatureException',
  });
  const claim = CLAIM.exec(headers.authorization ?? '')?.groups;
  if (claim === undefined)
    return {
      status: 403,
      message: 'Missing Authentication Token',
      errorType: 'MissingAuthenticationTokenException',
    };
  const date = String(headers['x-amz-date']);
  const scope = `${date.slice(0, 8)}/${signing.region}/${signing.service}/aws4_request`;
  if (claim.id !== signing.accessKeyId)
    return refuse('The security token included in the request is invalid.');
  if (claim.scope !== scope) return refuse(`Credential should be scoped to ${scope}.`);
  if (headers['x-amz-security-token'] !== signing.sessionToken)
    return refuse('The session token is another one.');
  const names = claim.names!.split(';');
  const mustBeSigned = Object.keys(headers).filter(
    (name) => name === 'host' || name.startsWith('x-amz-') || name === 'content-type',
  );
  const unsigned = mustBeSigned.filter((name) => !names.includes(name));
  if (unsigned.length > 0) return refuse(`Headers must be signed: ${unsigned.join(', ')}.`);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const said = headers['x-amz-content-sha256'];
  if (said !== undefined && said !== hash)
    return refuse('The provided x-amz-content-sha256 header does not match what was computed.');
  const key = [date.slice(0, 8), signing.region, signing.service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${signing.secretAccessKey}`,
  );
  const canonical = createHash('sha256')
    .update(canonicalOf(request, names, hash))
    .digest('hex');
  const wanted = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${canonical}`)
    .digest('hex');
  return claim.signature === wanted
    ? undefined
    : refuse('The request signature we calculated does not match the signature you provided.');
}

const CLAIM =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>[^,]+), SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/;

function canonicalOf(
  { method, path, headers }: RequestContent,
  names: readonly string[],
  hash: string,
): string {
  const url = new URL(path, 'http://upstream');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join('&');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`).join('');
  // Escapes in the sent path are escaped once more.
  const ownPath = url.pathname.split('/').map(encodeStrictly).join('/');
  return `${method}\n${ownPath}\n${query}\n${lines}\n${names.join(';')}\n${hash}`;
}

function encodeStrictly(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[\w.~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
