import { type RedisServer, startRedis } from '@winnow/testkit';
import { afterAll, beforeAll } from 'vitest';
import { letTimePass, openTestRedis } from './redis-under-test.ts';
import { describeSessionStore } from './session-store-contract.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

describeSessionStore('RedisSessionStore', async () => {
  await server.ask('FLUSHALL');
  const redis = openTestRedis({ url: server.url });
  await redis.connected();
  return { store: redis.store, advance: (ms) => letTimePass(server, ms) };
});
