import { isLoopback, spendersOf } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import { OFFER_HEADER, TOKEN_HEADER } from '../http/own-headers.ts';
import { asksForTools } from '../offer/make-offer.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import type { ClientHeaders, Guard } from './client-access.ts';

/** Returns the operator's property that a request to an upstream would reach. */
export type GuardOf = (upstream: Pick<Upstream, 'auth' | 'isNeighbour'>, headers: ClientHeaders) => Guard;

/**
 * Returns the guard of each request, by the secrets that it would spend: each secret's setting says which
 * requests spend it. A registry on this machine may trust every client there, so that its tools are guarded
 * with or without a token.
 */
export function requestGuard(settings: Settings): GuardOf {
  const spenders = spendersOf(SETTINGS, settings);
  const registryHost = URL.parse(settings['registry.url'])?.hostname ?? '';
  const spendsOffer = (headers: ClientHeaders) =>
    settings['registry.offer'] &&
    asksForTools(headers[OFFER_HEADER]) &&
    (isLoopback(registryHost) || (spenders.has('offer') && headers[TOKEN_HEADER] === undefined));
  return ({ auth, isNeighbour }, headers) => {
    if (auth.kind !== 'forward' || spenders.has('every_request') || spendsOffer(headers)) return 'key';
    return isNeighbour === true ? 'neighbour' : 'none';
  };
}
