import type { IncomingMessage } from 'node:http';
import type { RequestView } from '@winnow/wire';
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
    headers: incoming.rawHeaders,
    parameters: queryCredentials(target.query),
    tenantHeaders: tenantHeaders.map((name) => name.toLowerCase()),
    remoteAddress: incoming.socket.remoteAddress ?? '',
  };
}

/** Whose request it is, as far as its head tells: its credentials, or else its address. Not to be kept for longer than the request. */
export function clientOf(origin: RequestOrigin): string {
  return writeTenant(identityOf(undefined, origin)).text;
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
