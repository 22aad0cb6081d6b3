/**
 * @module-tag redis
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { READY_INFO, startFakeRedis } from './fake-redis.ts';
import {
  moveSlot,
  startCluster,
  startClusterNode,
  startSentinel,
  startTestRedis,
  untilClusterIs,
  untilTestEnds,
} from './redis-servers.ts';
import { openTestRedis, until } from './redis-under-test.ts';
import { note, PLACE } from './session-store-contract.ts';

const EMPTY = new Map<string, string>();
const ADDITION = [note('a'), note('1')];
const HELD = new Map(ADDITION.map(({ key, value }) => [key, value]));
const KEYS = ['a', '1', 'b', 'c', 'd'];
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url');
const KEY_OF_A = `winnow:{k}:${hashOf('a')}`;
const ALL = 'winnow:{k}:all';
const UP = { level: 'info', event: 'session_store_up' };

const down = (part: string, problem: string) => ({
  level: 'warn',
  event: 'session_store_down',
  part,
  problem,
});

const succeeds = (running: Promise<unknown>) =>
  running.then(
    () => true,
    () => false,
  );

/** Deadlines that the test triggers. */
function deadlines() {
  const controllers: AbortController[] = [];
  return {
    deadline: () => {
      const controller = new AbortController();
      controllers.push(controller);
      return controller.signal;
    },
    count: () => controllers.length,
    come: () => {
      for (const controller of controllers) controller.abort();
    },
  };
}

/** A Redis that holds `ADDITION` under `k` and let three reads time out. */
async function startSilentRedis() {
  const server = await startTestRedis();
  const clock = deadlines();
  const redis = await openTestRedis({ url: server.url, ...clock });
  await redis.connected();
  await redis.store.add(PLACE, ADDITION);
  server.pause();
  const asked = Promise.allSettled([1, 2, 3].map(() => redis.store.read('k', KEYS)));
  clock.come();
  return { server, clock, redis, outcomes: await asked };
}

describe('a Redis that', () => {
  it('is missing at the start costs nothing, is reported once, and is used when it appears', async () => {
    const server = await startTestRedis();
    await server.kill();
    const { store, isUp, lines, connected } = await openTestRedis({ url: server.url });
    await expect(store.read('k', KEYS)).rejects.toThrow('unreachable');
    await until(() => lines.length > 0);
    await expect(store.add(PLACE, ADDITION)).rejects.toThrow('unreachable');
    expect([isUp(), lines]).toMatchObject([false, [down('connection', 'unreachable')]]);
    await server.start();
    await connected();
    await store.add(PLACE, ADDITION);
    expect(await store.read('k', KEYS)).toEqual(HELD);
    expect(lines).toMatchObject([{ store: `127.0.0.1:${server.port}` }, UP]);
  });

  it('is killed and returns empty is used again', async () => {
    const server = await startTestRedis();
    const { store, isUp, lines, connected } = await openTestRedis({ url: server.url });
    await connected();
    await store.add(PLACE, ADDITION);
    await server.kill();
    await until(() => !isUp());
    await expect(store.read('k', KEYS)).rejects.toThrow('unreachable');
    await server.start();
    await connected();
    expect(await store.read('k', KEYS)).toEqual(EMPTY);
    expect(lines).toMatchObject([down('connection', 'unreachable'), UP]);
  });

  it('is killed during a request fails that request', async () => {
    const server = await startTestRedis();
    const { store, connected } = await openTestRedis({ url: server.url });
    await connected();
    server.pause();
    const asked = [store.read('k', KEYS), store.add(PLACE, ADDITION)];
    const outcomes = Promise.allSettled(asked);
    await server.kill();
    expect(await outcomes).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('is silent is avoided after three timeouts, and used again when it responds', async () => {
    const { server, clock, redis, outcomes } = await startSilentRedis();
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { problem: 'timeout' } });
    }
    expect(redis.lines).toMatchObject([down('connection', 'timeout')]);
    const before = clock.count();
    for (let request = 0; request < 100; request++)
      await expect(redis.store.read('k', KEYS)).rejects.toThrow('timeout');
    await expect(redis.store.add(PLACE, ADDITION)).rejects.toThrow('timeout');
    // Nothing waited.
    expect(clock.count()).toBe(before);
    server.resume();
    await until(async () => {
      redis.pass(1_000);
      return succeeds(redis.store.read('k', KEYS));
    });
    expect(await redis.store.read('k', KEYS)).toEqual(HELD);
    expect(redis.lines).toMatchObject([down('connection', 'timeout'), UP]);
  });

  it('stays silent makes no request wait for its deadline, however long', async () => {
    const { clock, redis } = await startSilentRedis();
    for (let second = 0; second < 20; second++) {
      // Probes run in parallel with requests; a passed deadline is noticed one turn later.
      redis.pass(1_000);
      clock.come();
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      const before = clock.count();
      await expect(redis.store.read('k', KEYS)).rejects.toThrow('timeout');
      expect(clock.count()).toBe(before);
    }
    // It was probed indeed.
    expect(clock.count()).toBeGreaterThan(20);
  });

  it('is silent for long loses its connection, and is used again without a request', async () => {
    const { server, redis } = await startSilentRedis();
    await until(() =>
      redis.store.read('k', KEYS).then(
        () => false,
        ({ message }) => message === 'unreachable',
      ),
    );
    server.resume();
    await redis.connected();
    expect(await redis.store.read('k', KEYS)).toEqual(HELD);
    expect(redis.lines).toMatchObject([down('connection', 'timeout'), UP]);
  });

  it('has answered in time is heard, even by a process that was too busy to read', async () => {
    const server = await startTestRedis();
    const clock = deadlines();
    const { store, connected } = await openTestRedis({ url: server.url, ...clock });
    await connected();
    await store.add(PLACE, ADDITION);
    const session = await new Promise((resolve) => {
      // A timer, like a deadline: data that has arrived is read afterwards.
      setTimeout(() => {
        const asked = store.read('k', KEYS);
        const busyUntil = performance.now() + 100;
        while (performance.now() < busyUntil);
        clock.come();
        resolve(asked);
      });
    });
    expect(session).toEqual(HELD);
  });

  it('is disconnected at shutdown is not reported', async () => {
    const server = await startTestRedis();
    const { close, connected, lines } = await openTestRedis({ url: server.url });
    await connected();
    close();
    await until(async () => (await server.ask('CLIENT', 'LIST')).split('id=').length === 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([]);
  });

  it('is full is still read, and written to again when it has room', async () => {
    const server = await startTestRedis();
    const { store, isUp, lines, connected, pass } = await openTestRedis({ url: server.url });
    await connected();
    await store.add(PLACE, ADDITION);
    await server.ask('CONFIG', 'SET', 'maxmemory', '1');
    await expect(store.add(PLACE, [note('b')])).rejects.toThrow('full');
    await expect(store.add(PLACE, [note('c')])).rejects.toThrow('full');
    expect(await store.read('k', KEYS)).toEqual(HELD);
    expect(isUp()).toBe(false);
    await server.ask('CONFIG', 'SET', 'maxmemory', '0');
    // It recovers without a request.
    pass(1_000);
    await until(isUp);
    await store.add(PLACE, [note('d')]);
    expect((await store.read('k', ['a', 'd'])).size).toBe(2);
    expect(lines).toMatchObject([down('writing', 'full'), UP]);
    await until(async () => (await server.ask('EXISTS', `winnow:{probe}:${hashOf('probe')}`)) === ':0\r\n');
  });

  it('was demoted is still read, and reconnected to', async () => {
    const server = await startTestRedis();
    const { store, lines, connected, pass } = await openTestRedis({ url: server.url });
    await connected();
    await store.add(PLACE, ADDITION);
    await server.ask('REPLICAOF', '127.0.0.1', '1');
    expect(await store.read('k', KEYS)).toEqual(HELD);
    const connections = async () =>
      /total_connections_received:(\d+)/.exec(await server.ask('INFO', 'stats'))![1];
    const before = Number(await connections());
    await expect(store.add(PLACE, [note('b')])).rejects.toThrow('read_only');
    await server.ask('REPLICAOF', 'NO', 'ONE');
    pass(1_000);
    await until(() => succeeds(store.add(PLACE, [note('c')])));
    expect((await store.read('k', ['a', 'c'])).size).toBe(2);
    // The connections of this test, and one more.
    expect(Number(await connections())).toBeGreaterThan(before + 2);
    expect(lines.at(-1)).toMatchObject(UP);
    expect(lines).toHaveLength(2);
  });

  it.each([
    ['another password', 'redis://:wrong@'],
    ['a password', 'redis://'],
    ['another user', 'redis://stranger:right@'],
  ])('requires %s is reported without the password', async (_, start) => {
    const server = await startTestRedis({ password: 'right' });
    const { store, lines } = await openTestRedis({ url: `${start}127.0.0.1:${server.port}` });
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([down('connection', 'refused')]);
    expect(JSON.stringify(lines)).not.toMatch(/wrong|right|stranger/);
    await expect(store.read('k', KEYS)).rejects.toThrow('unreachable');
  });

  it('forbids its user to write is still read', async () => {
    const server = await startTestRedis({ config: ['user reader on nopass ~* +mget +info +select +auth'] });
    const { store, lines, connected } = await openTestRedis({
      url: `redis://reader:any@127.0.0.1:${server.port}`,
    });
    await connected();
    expect(await store.read('k', KEYS)).toEqual(EMPTY);
    await expect(store.add(PLACE, ADDITION)).rejects.toThrow('refused');
    expect(lines).toMatchObject([down('writing', 'refused')]);
  });

  it.each([
    ['bytes of another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['more than requested', `${READY_INFO}${'$-1\r\n_\r\n*-1\r\n'.repeat(5)}`],
    ['an endless length', '$99999999999999999999\r\n'],
    ['a list that never ends', '*100000\r\n:1\r\n'],
    ['nothing but errors', '-ERR unknown command\r\n'],
    ['that it is loading', '-LOADING Redis is loading the dataset in memory\r\n'],
  ])('replies with %s is retried, and harms no request', async (_, bytes) => {
    const fake = await startFakeRedis((socket) => socket.write(bytes));
    const clock = deadlines();
    const { store } = await openTestRedis({ url: fake.url, ...clock });
    const read = store.read('k', KEYS).catch((error: Error) => error);
    clock.come();
    expect(await read).toBeInstanceOf(Error);
    await until(() => fake.connections() > 1);
  });

  it('speaks before a request is disconnected', async () => {
    const fake = await startFakeRedis(
      () => {},
      (socket) => socket.write('$-1\r\n+OK\r\n'),
    );
    await openTestRedis({ url: fake.url });
    await until(() => fake.connections() > 1);
  });

  it('hangs up at once is retried', async () => {
    const fake = await startFakeRedis(
      () => {},
      (socket) => socket.destroy(),
    );
    const { lines } = await openTestRedis({ url: fake.url });
    await until(() => fake.connections() > 2);
    expect(lines).toMatchObject([down('connection', 'unreachable')]);
  });

  it.each([
    ['a number', ':1\r\n'],
    ['a text', '$1\r\nx\r\n'],
    ['nothing', '$-1\r\n'],
    ['a list of lists', '*1\r\n*1\r\n:1\r\n'],
  ])('replies to a read with %s has no session', async (_, reply) => {
    const fake = await startFakeRedis((socket, asked) =>
      socket.write(asked.includes('mget') ? `${reply}${reply}:0\r\n:0\r\n` : READY_INFO),
    );
    const { store, connected } = await openTestRedis({ url: fake.url });
    await connected();
    expect(await store.read('k', KEYS)).toEqual(EMPTY);
  });
});

/** Time for a cluster and Sentinels to agree on a machine that is busy with other tests. */
const AGREEMENT = { timeout: 60_000 };

/** Longer than any test takes. */
const LONG_MS = 600_000;

describe('a cluster that', AGREEMENT, () => {
  it('does not serve a slot is reported, and used again when it does', async () => {
    const server = await untilTestEnds(startCluster());
    const { store, lines, connected, pass } = await openTestRedis({
      url: `redis+cluster://127.0.0.1:${server.port}`,
    });
    await connected();
    await store.add(PLACE, ADDITION);
    await server.ask('CLUSTER', 'DELSLOTS', '7629');
    await untilClusterIs(server, 'fail');
    await expect(store.read('k', KEYS)).rejects.toThrow('cluster_down');
    await server.ask('CLUSTER', 'ADDSLOTS', '7629');
    await untilClusterIs(server, 'ok');
    expect(await store.read('k', KEYS)).toEqual(HELD);
    pass(1_000);
    await connected();
    expect(lines).toMatchObject([down('reading', 'cluster_down'), UP]);
  });

  it('is killed and returns is used again', async () => {
    const server = await untilTestEnds(startCluster());
    const { store, isUp, lines, connected } = await openTestRedis({
      url: `redis+cluster://127.0.0.1:${server.port}`,
    });
    await connected();
    await server.kill();
    await until(() => !isUp());
    await expect(store.read('k', KEYS)).rejects.toThrow('unreachable');
    await server.start();
    await connected();
    expect(lines).toMatchObject([down('connection', 'unreachable'), UP]);
  });
});

describe('a cluster whose slots move', AGREEMENT, () => {
  it('is followed', async () => {
    const [first, second] = [await untilTestEnds(startCluster()), await untilTestEnds(startClusterNode())];
    const { store, connected, lines } = await openTestRedis({
      url: `redis+cluster://127.0.0.1:${first.port}`,
    });
    await connected();
    await store.add(PLACE, ADDITION);
    await moveSlot([KEY_OF_A, `winnow:{k}:${hashOf('1')}`, ALL, 'winnow:{k}:of:s'], first, second);
    expect(await first.ask('LLEN', ALL)).toContain('MOVED');
    expect(await store.read('k', KEYS)).toEqual(HELD);
    await store.add(PLACE, [note('b')]);
    expect((await store.read('k', ['a', 'b'])).size).toBe(2);
    expect(await second.ask('LLEN', ALL)).toBe(':3\r\n');
    expect(lines).toEqual([]);
  });
});

describe('a Sentinel that', AGREEMENT, () => {
  it('names another primary after a failover is followed', async () => {
    const config = ['repl-diskless-sync-delay 0'];
    const [first, second] = [await startTestRedis({ config }), await startTestRedis({ config })];
    await second.ask('REPLICAOF', '127.0.0.1', String(first.port));
    await until(async () => (await first.ask('INFO', 'replication')).includes('state=online'));
    const sentinel = await untilTestEnds(startSentinel(first));
    const { store, connected } = await openTestRedis({
      url: `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`,
    });
    await connected();
    await store.add(PLACE, ADDITION);
    await until(async () => (await second.ask('LLEN', ALL)) === ':2\r\n');
    // By default it checks its servers only every ten seconds.
    await sentinel.ask('SENTINEL', 'DEBUG', 'INFO-PERIOD', '100');
    // A Sentinel that notices a delay of two seconds, as on a busy machine, would pause for thirty.
    await sentinel.ask('SENTINEL', 'DEBUG', 'TILT-TRIGGER', String(LONG_MS));
    await until(async () =>
      (await sentinel.ask('SENTINEL', 'REPLICAS', 'mymaster')).includes(`${second.port}`),
    );
    const primary = () => sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
    // It abandons a slow failover, and accepts requests for another one as long as the first server is the
    // primary.
    await until(async () => {
      if ((await primary()).includes(`${first.port}`)) await sentinel.ask('SENTINEL', 'FAILOVER', 'mymaster');
      return (await primary()).includes(`${second.port}`);
    });
    // Demoting a primary closes its connections, including those of this test.
    const role = () => first.ask('ROLE').catch(() => '');
    await until(async () => (await role()).includes('slave'));
    await until(() => succeeds(store.add(PLACE, [note('b')])));
    expect((await store.read('k', KEYS)).size).toBe(3);
    expect(await second.ask('LLEN', ALL)).toBe(':3\r\n');
  });
});
