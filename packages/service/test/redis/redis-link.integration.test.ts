/**
 * @module-tag redis
 */
import { startRedis } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { connectRedis } from '../../src/redis/redis.ts';
import { parseRedisUrl } from '../../src/redis/redis-url.ts';

test('commands that wait when a connection is lost are answered by its error', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
  const outcome = parseRedisUrl(redis.url);
  if (!outcome.ok) throw new Error(outcome.problem);
  const link = connectRedis(outcome.address, {}, { onReady, onLost: () => {} });
  onTestFinished(() => link.close());
  await ready;
  redis.pause();
  const waiting = [link.run([['get', 'a']]), link.run([['get', 'b']])];
  await redis.kill();
  expect((await Promise.all(waiting)).flat().map(({ ok }) => ok)).toEqual([false, false]);
});
