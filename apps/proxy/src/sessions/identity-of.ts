import type { IncomingMessage } from 'node:http';
import type { RequestView } from '@winnow/wire';
import type { RawHeaders } from '../http/headers.ts';
import type { SignedBy } from '../signing/signed-by.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import { queryCredentials } from '../upstream/query-credentials.ts';
import { type SessionIdentity, writeTenant } from './session-identity.ts';

/** What the connection and the head of a request tell of its session. Plain data. */
export type RequestOrigin = Pick<
  SessionIdentity,
  'upstream' | 'headers' | 'parameters' | 'tenantHeaders' | 'remoteAddress'
>;

/** The origin of a request. `tenantHeaders` are more names of headers that hold a credential, in any case. */
export function originOf(
  incoming: IncomingMessage,
  target: Target,
  tenantHeaders: readonly string[],
): RequestOrigin {
  return {
    upstream: target.upstream.name,
    headers: headersOf(incoming.rawHeaders, target.signedBy),
    parameters: queryCredentials(target.query),
    tenantHeaders: tenantHeaders.map((name) => name.toLowerCase()),
    remoteAddress: incoming.socket.remoteAddress ?? '',
  };
}

/**
 * The headers of a request as they tell one client from another: a signature is another one for each request, and its key's id is no secret. Only whoever is known to
 * know the secret is told apart by it.
 */
function headersOf(headers: RawHeaders, signedBy: SignedBy | undefined): RawHeaders {
  if (signedBy === undefined) return headers;
  const told: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() !== 'authorization') told.push(headers[at]!, headers[at + 1]!);
  }
  return signedBy === 'unknown' ? told : [...told, 'authorization', `signed by ${signedBy.accessKeyId}`];
}

/** Whose request it is, as far as its head tells: its credentials, or else its address. Not to be kept for longer than the request. */
export function clientOf(origin: RequestOrigin): string {
  return writeTenant(identityOf(undefined, origin));
}

/** What tells the conversation of a request apart; of a body that could not be read, only its origin does. */
export function identityOf(view: RequestView | undefined, origin: RequestOrigin): SessionIdentity {
  const hint = view?.sessionHints[0];
  return {
    ...origin,
    bodyKey: hint && `${hint.source}=${hint.value}`,
    firstUserText: view?.firstUserText || undefined,
  };
}
