import { type RedisServer, startRedis } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from './certificates.ts';
import { startCluster, startSentinel } from './redis-servers.ts';
import { letTimePass, openTestRedis, type RedisTestSettings } from './redis-under-test.ts';
import { CONTRACT_TTL_MS, describeSessionStore, hiddenTurn } from './session-store-contract.ts';

const certificates = makeCertificates(['server', 'client', 'server-of-another']);
const tlsFiles = {
  PROXY_REDIS_CA_FILE: certificates.file('authority.pem'),
  PROXY_REDIS_CERT_FILE: certificates.file('client.pem'),
  PROXY_REDIS_KEY_FILE: certificates.file('client.key'),
};

let server: RedisServer;
let guarded: RedisServer;
let cluster: RedisServer;
let sentinel: RedisServer;

beforeAll(async () => {
  server = await startRedis();
  guarded = await startRedis({
    password: 'pa:s/s@1%',
    tls: {
      ca: certificates.file('authority.pem'),
      cert: certificates.file('server.pem'),
      key: certificates.file('server.key'),
    },
    config: [
      'user winnow on >wörd ~winnow:* +lrange +rpush +ltrim +pexpire +unlink +multi +exec +info +select',
    ],
  });
  cluster = await startCluster();
  sentinel = await startSentinel(server);
  // Four servers, on a machine that is busy with other tests.
}, 60_000);
afterAll(async () => {
  await Promise.all([server, guarded, cluster, sentinel].map((one) => one.close()));
  certificates.remove();
});

interface Place {
  readonly name: string;
  /** The server that holds the data. */
  readonly at: () => RedisServer;
  readonly settings: () => RedisTestSettings;
}

const places: readonly Place[] = [
  { name: 'RedisSessionStore', at: () => server, settings: () => ({ url: server.url }) },
  {
    name: 'RedisSessionStore in a cluster',
    at: () => cluster,
    settings: () => ({ url: `redis+cluster://127.0.0.1:${cluster.port}` }),
  },
  {
    name: 'RedisSessionStore through a Sentinel',
    at: () => server,
    settings: () => ({ url: `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/mymaster` }),
  },
  {
    name: 'RedisSessionStore with a password',
    at: () => guarded,
    settings: () => ({ url: `redis://:pa%3As%2Fs%401%25@127.0.0.1:${guarded.port}` }),
  },
  {
    name: 'RedisSessionStore over TLS, as a user that may do nothing else',
    at: () => guarded,
    settings: () => ({
      url: `rediss://winnow:w%C3%B6rd@127.0.0.1:${guarded.tlsPort}`,
      settings: tlsFiles,
    }),
  },
];

for (const { name, at, settings } of places) {
  describeSessionStore(name, async () => {
    await at().ask('FLUSHALL');
    const redis = openTestRedis(settings());
    await redis.connected();
    return { store: redis.store, advance: (ms) => letTimePass(at(), ms) };
  });
}

describe('RedisSessionStore', () => {
  const open = async (more: Partial<RedisTestSettings> = {}) => {
    const redis = openTestRedis({ url: server.url, ...more });
    await redis.connected();
    return redis.store;
  };
  const [NAMES, TURNS] = ['winnow:{k}:names', 'winnow:{k}:turns'];
  const addition = { loaded: ['a'], hiddenTurns: [hiddenTurn('1')] };
  const fresh = async () => {
    await server.ask('FLUSHALL');
    return open();
  };

  it('loses nothing of two proxies that add to one session at once', async () => {
    await server.ask('FLUSHALL');
    const [one, other] = [await open(), await open()];
    const marks = Array.from({ length: 100 }, (_, number) => `m${number}`);
    await Promise.all(
      marks.map((mark, number) =>
        (number % 2 === 0 ? one : other).add('k', { loaded: [mark], hiddenTurns: [hiddenTurn(mark)] }),
      ),
    );
    const session = await one.read('k');
    expect([...session.loaded].sort()).toEqual([...marks].sort());
    expect(session.hiddenTurns.map(({ message }) => message).sort()).toEqual([...marks].sort());
  });

  it('never leaves a key without an end', async () => {
    const store = await fresh();
    await store.add('k', addition);
    for (const key of [NAMES, TURNS]) {
      const left = Number((await server.ask('PTTL', key)).slice(1));
      expect(left).toBeGreaterThan(CONTRACT_TTL_MS / 2);
      expect(left).toBeLessThanOrEqual(CONTRACT_TTL_MS);
    }
  });

  it('uses the database that its URL names', async () => {
    await fresh();
    const store = await open({ url: `${server.url}/3` });
    await store.add('k', addition);
    expect(await server.ask('DBSIZE')).toBe(':0\r\n');
    await server.ask('SWAPDB', '0', '3');
    expect(await server.ask('DBSIZE')).toBe(':2\r\n');
  });

  it('sends nothing when there is nothing to add', async () => {
    const store = await fresh();
    await store.add('k', { loaded: [], hiddenTurns: [] });
    expect(await server.ask('DBSIZE')).toBe(':0\r\n');
  });

  it('keeps what it stores readable by nobody without the secret', async () => {
    const store = await fresh();
    await store.add('k', addition);
    const stranger = await open({ secret: 'another' });
    expect(await stranger.read('k')).toEqual({ loaded: [], hiddenTurns: [] });
  });

  it('takes no value that was stored for another session', async () => {
    const store = await fresh();
    await store.add('k', addition);
    await server.ask('COPY', NAMES, 'winnow:{other}:names');
    await server.ask('COPY', TURNS, 'winnow:{other}:turns');
    expect(await store.read('other')).toEqual({ loaded: [], hiddenTurns: [] });
  });

  it.each([
    ['nonsense', 'hello'],
    ['nothing', ''],
    [
      'JSON of somebody else',
      '{"format":"f","keys":["1"],"visible":"","before":[],"message":"[[[","results":[]}',
    ],
    ['another version', `2.${'A'.repeat(22)}.["b"]`],
    ['a wrong seal', `1.${'A'.repeat(22)}.["b"]`],
    ['a seal cut short', '1.AAA'],
    ['deep JSON', `1.${'A'.repeat(22)}.${'['.repeat(50_000)}`],
    ['broken UTF-8', '\u{fffd}\u{0}\n'],
  ])('passes over %s and reads the rest', async (_, value) => {
    const store = await fresh();
    await store.add('k', addition);
    for (const key of [NAMES, TURNS]) await server.ask('LPUSH', key, value);
    await store.add('k', { loaded: ['c'], hiddenTurns: [] });
    expect(await store.read('k')).toEqual({ loaded: ['a', 'c'], hiddenTurns: [hiddenTurn('1')] });
  });

  it.each([['SET'], ['SADD']])(
    'is empty where keys are of another type (%s), and puts them right',
    async (command) => {
      const store = await fresh();
      for (const key of [NAMES, TURNS]) await server.ask(command, key, 'x');
      expect(await store.read('k')).toEqual({ loaded: [], hiddenTurns: [] });
      await store.add('k', addition);
      expect(await store.read('k')).toEqual(addition);
    },
  );

  it('loses an addition to a key of another type, says so, and puts it right', async () => {
    const store = await fresh();
    await server.ask('SET', TURNS, 'x');
    await expect(store.add('k', addition)).rejects.toThrow('unusable');
    await store.add('k', addition);
    expect(await store.read('k')).toEqual(addition);
  });

  it('keeps the newest values of a list that is too long', async () => {
    const store = await fresh();
    const strange = Array.from({ length: 3_000 }, (_, number) => `x${number}`);
    await server.ask('RPUSH', TURNS, ...strange);
    expect(await store.read('k')).toEqual({ loaded: [], hiddenTurns: [] });
    await store.add('k', addition);
    expect(await server.ask('LLEN', TURNS)).toBe(':1024\r\n');
    expect(await store.read('k')).toEqual(addition);
  });

  it('does not store a turn that is too large, says so, and stores the rest', async () => {
    const store = await fresh();
    const large = hiddenTurn('x'.repeat(2 ** 20));
    await expect(store.add('k', { loaded: ['a'], hiddenTurns: [large, hiddenTurn('1')] })).rejects.toThrow(
      'too_large',
    );
    expect(await store.read('k')).toEqual(addition);
  });

  it('lets the oldest turns of a large session go, and leaves room', async () => {
    const store = await fresh();
    const turns = Array.from({ length: 6 }, (_, number) => hiddenTurn(`${number}`.repeat(300_000)));
    for (const turn of turns) await store.add('k', { loaded: [], hiddenTurns: [turn] });
    // Each is about 900 kB: five are more than 4 MiB, two fit into the half.
    expect((await store.read('k')).hiddenTurns).toEqual(turns.slice(-2));
    await store.add('k', { loaded: [], hiddenTurns: [hiddenTurn('1')] });
    expect(await server.ask('LLEN', TURNS)).toBe(':3\r\n');
  });

  it('removes a list that is nothing but too large', async () => {
    const store = await fresh();
    await server.ask('RPUSH', TURNS, 'x'.repeat(5 * 2 ** 20));
    expect((await store.read('k')).hiddenTurns).toEqual([]);
    await store.read('k');
    expect(await server.ask('EXISTS', TURNS)).toBe(':0\r\n');
  });

  it('trusts the authorities that it is given and nobody else', async () => {
    const redis = openTestRedis({
      url: `rediss://winnow:w%C3%B6rd@127.0.0.1:${guarded.tlsPort}`,
      settings: { ...tlsFiles, PROXY_REDIS_CA_FILE: certificates.file('stranger.pem') },
    });
    await expect.poll(() => redis.lines).toMatchObject([{ event: 'session_store_down' }]);
    await expect(redis.store.read('k')).rejects.toThrow('unreachable');
  });
});
