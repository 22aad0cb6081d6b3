import { type RedisServer, type RedisServerOptions, startRedis } from '@winnow/testkit';
import { onTestFinished } from 'vitest';
import { until } from './redis-under-test.ts';

/** Starts a server that is closed when the test ends. */
export function startTestRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  return untilTestEnds(startRedis(options));
}

/** A server that starts, and is closed when the test ends. */
export async function untilTestEnds(starting: Promise<RedisServer>): Promise<RedisServer> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

const SLOTS = 16_384;

/** Starts a cluster of one node; the test must close it. */
export async function startCluster(): Promise<RedisServer> {
  const node = await startClusterNode();
  await node.ask('CLUSTER', 'ADDSLOTS', ...Array.from({ length: SLOTS }, (_, slot) => String(slot)));
  await untilClusterIs(node, 'ok');
  return node;
}

/** Starts a node that has no slots and knows no other node; the test must close it. */
export function startClusterNode(): Promise<RedisServer> {
  return startRedis({ config: ['cluster-enabled yes', 'cluster-announce-ip 127.0.0.1'] });
}

/** Waits until a node considers its cluster to serve all slots, or not to. */
export function untilClusterIs(node: RedisServer, state: 'ok' | 'fail'): Promise<void> {
  return until(async () => (await node.ask('CLUSTER', 'INFO')).includes(`cluster_state:${state}`));
}

/** Moves the slot of some keys, with the keys, from one node to another that it has not met yet. */
export async function moveSlot(keys: readonly [string, ...string[]], from: RedisServer, to: RedisServer) {
  await to.ask('CLUSTER', 'MEET', '127.0.0.1', String(from.port));
  const [fromId, toId] = [await nodeId(from), await nodeId(to)];
  await until(async () => (await from.ask('CLUSTER', 'NODES')).includes(toId));
  await until(async () => (await to.ask('CLUSTER', 'NODES')).includes(fromId));
  await untilClusterIs(to, 'ok');
  const slot = (await from.ask('CLUSTER', 'KEYSLOT', keys[0])).slice(1).trim();
  await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
  await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
  await from.ask('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
  for (const node of [to, from]) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  await untilClusterIs(to, 'ok');
}

async function nodeId(node: RedisServer): Promise<string> {
  return (await node.ask('CLUSTER', 'MYID')).split('\r\n')[1]!;
}

/** Starts a Sentinel that watches a primary under the name `mymaster`; the test must close it. */
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
