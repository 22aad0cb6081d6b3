import type { RedisServer } from '@winnow/testkit';
import type { Mischief } from './mischief.ts';

/** Failures of Redis itself. */
export function redisMischief(redis: RedisServer): Mischief[] {
  const nothing = async () => {};
  return [
    { name: 'Redis is killed, and comes back empty', begin: () => redis.kill(), end: () => redis.start() },
    { name: 'Redis is paused', begin: async () => redis.pause(), end: async () => redis.resume() },
    {
      name: 'Redis is full',
      begin: () => redis.ask('CONFIG', 'SET', 'maxmemory', '1'),
      end: () => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    },
    {
      name: 'Redis is read-only',
      // No server listens at that address: it stays a replica that waits for its primary.
      begin: () => redis.ask('REPLICAOF', '127.0.0.1', '1'),
      end: () => redis.ask('REPLICAOF', 'NO', 'ONE'),
    },
    { name: 'Redis forgets everything', begin: () => redis.ask('FLUSHALL'), end: nothing },
  ];
}
