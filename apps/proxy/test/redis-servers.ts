import { type RedisServer, type RedisServerOptions, startRedis } from '@winnow/testkit';
import { onTestFinished } from 'vitest';
import { until } from './redis-under-test.ts';

/** Starts a server that is closed when the test ends. */
export async function startTestRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.close());
  return server;
}

const SLOTS = 16_384;

/** Starts a cluster of one node; not closed by itself. */
export async function startCluster(): Promise<RedisServer> {
  const server = await startRedis({ config: ['cluster-enabled yes', 'cluster-announce-ip 127.0.0.1'] });
  await server.ask('CLUSTER', 'ADDSLOTS', ...Array.from({ length: SLOTS }, (_, slot) => String(slot)));
  await until(async () => (await server.ask('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  return server;
}

/** Starts a Sentinel that watches a primary under the name `mymaster`; not closed by itself. */
export function startSentinel(primary: RedisServer): Promise<RedisServer> {
  return startRedis({
    isSentinel: true,
    config: [
      `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds mymaster 1000',
      'sentinel failover-timeout mymaster 2000',
    ],
  });
}
