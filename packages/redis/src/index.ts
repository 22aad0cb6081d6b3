export { connectRedis } from './connect-redis.ts';
export type { RedisCommand, RedisLink, RedisLinkListener, RedisReply } from './redis-link.ts';
export { redisSettings } from './redis-settings.ts';
export {
  describeHosts,
  parseRedisUrl,
  type RedisAddress,
  type RedisHost,
  type RedisUrlOutcome,
} from './redis-url.ts';
