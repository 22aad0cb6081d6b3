export { connectRedis } from './connect-redis.ts';
export type { RedisCommand, RedisLink, RedisReply } from './redis-link.ts';
export { redisSettings } from './redis-settings.ts';
export { describeHosts, parseRedisUrl } from './redis-url.ts';
