import type { ProxyOptions } from './start-proxy.ts';

/** Proxies that alter nothing. The second passthrough shows how much two identical proxies differ. */
export const ROLLOUT_WAYS = ['passthrough', 'passthrough again', 'off', 'dark', 'shadow'] as const;

/** One of {@link ROLLOUT_WAYS}. */
export type RolloutWay = (typeof ROLLOUT_WAYS)[number];

/** Returns the proxy's settings for a way, without the addresses of other services. */
export function optionsOf(way: RolloutWay): Pick<ProxyOptions, 'strategy' | 'settings'> {
  switch (way) {
    case 'passthrough':
    case 'passthrough again':
      return { strategy: 'passthrough' };
    default:
      return { strategy: 'api', settings: { PROXY_ROLLOUT_MODE: way } };
  }
}
