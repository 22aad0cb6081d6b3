import { at } from '../settings/setting.ts';
import * as setting from '../settings/setting-kinds.ts';
import type { ClientTls } from '../tls.ts';
import type { RedisLink, RedisLinkListener } from './redis-link.ts';
import { parseRedisUrl, type RedisAddress } from './redis-url.ts';

/**
 * Loads the library, which takes a tenth of a service's start, and connects to a Redis as described in
 * `redis.ts`.
 */
export async function connectRedis(
  address: RedisAddress,
  tls: ClientTls,
  listener: RedisLinkListener,
): Promise<RedisLink> {
  const redis = await import('./redis.ts');
  return redis.connectRedis(address, tls, listener);
}

/** Returns the settings of a Redis that a service shares with its other instances. */
export function redisSettings() {
  const address = setting.secretText(
    'own_data',
    (text) => text === '' || parseRedisUrl(text).ok,
    'an address such as redis://user:password@host:6379',
  );
  return {
    redisUrl: at('redis.url', address),
  } as const;
}
