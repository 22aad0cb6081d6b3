import type { ClientTls } from '../tls/read-client-tls.ts';
import type { RedisLink, RedisLinkListener } from './redis-link.ts';
import type { RedisAddress } from './redis-url.ts';

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
