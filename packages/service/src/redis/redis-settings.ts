import { at } from '../settings/setting.ts';
import * as setting from '../settings/setting-kinds.ts';
import { parseRedisUrl } from './redis-url.ts';

/** Returns the settings of a Redis that a service shares with its other instances. */
export function redisSettings() {
  const address = setting.secretText(
    'own_data',
    (text) => text === '' || parseRedisUrl(text).ok,
    'an address such as redis://user:password@host:6379',
  );
  return {
    redisUrl: at('redis.url', address),
    redisCaFile: at('redis.ca_file', setting.file('')),
  } as const;
}
