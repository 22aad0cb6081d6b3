import { spendersOf } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import type { Guard } from './client-access.ts';

/** Returns the operator's property that a request to an upstream would reach. */
export type GuardOf = (upstream: Pick<Upstream, 'auth' | 'isNeighbour'>) => Guard;

/**
 * Returns the guard of each request, by the secrets that it would spend: each secret's setting says which
 * requests spend it.
 */
export function requestGuard(settings: Settings): GuardOf {
  const spenders = spendersOf(SETTINGS, settings);
  return ({ auth, isNeighbour }) => {
    if (auth.kind !== 'forward' || spenders.has('every_request')) return 'key';
    return isNeighbour === true ? 'neighbour' : 'none';
  };
}
