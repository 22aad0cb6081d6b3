import type { ProxyOptions } from './start-proxy.ts';

/** Proxies that alter nothing. The second passthrough tells how far two that do the same lie apart. */
export const ROLLOUT_WAYS = ['passthrough', 'passthrough again', 'off', 'dark', 'shadow'] as const;

/** One of {@link ROLLOUT_WAYS}. */
export type RolloutWay = (typeof ROLLOUT_WAYS)[number];

/** How the proxy of a way is started, apart from where the others are. */
export function optionsOf(way: RolloutWay): Pick<ProxyOptions, 'strategy' | 'settings'> {
  switch (way) {
    case 'passthrough':
    case 'passthrough again':
      return { strategy: 'passthrough' };
    default:
      return { strategy: 'api', settings: { PROXY_ROLLOUT_MODE: way } };
  }
}
