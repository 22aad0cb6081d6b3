/**
 * @module-tag redis
 * @module-tag openssl
 */
import { createHash, createSecretKey } from 'node:crypto';
import { type RedisServer, startRedis, TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealValue } from '../src/sessions/redis-session-store.ts';
import { startCluster, startSentinel } from './redis-servers.ts';
import { letTimePass, openTestRedis, type RedisTestSettings } from './redis-under-test.ts';
import { CONTRACT_TTL_MS, describeSessionStore, note, PLACE } from './session-store-contract.ts';

const certificates = new TestCertificates({ server: 'authority', client: 'authority' });
const tlsSettings = (ca: string) => ({
  PROXY_CLIENT_TLS_FOLDER: certificates.folder({ ca, cert: 'client.pem', key: 'client.key' }),
});

let server: RedisServer;
let guarded: RedisServer;
let cluster: RedisServer;
let sentinel: RedisServer;

beforeAll(async () => {
  certificates.make();
  server = await startRedis();
  guarded = await startRedis({
    password: 'pa:s/s@1%',
    tls: {
      ca: certificates.file('authority.pem'),
      cert: certificates.file('server.pem'),
      key: certificates.file('server.key'),
    },
    config: [
      'user winnow on >wörd ~winnow:* +mget +set +getrange +rpush +lrange +ltrim +pexpire +unlink +multi +exec +info +select',
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
      settings: tlsSettings('authority.pem'),
    }),
  },
];

for (const { name, at, settings } of places) {
  describeSessionStore(name, async () => {
    await at().ask('FLUSHALL');
    const redis = await openTestRedis(settings());
    await redis.connected();
    return { store: redis.store, advance: (ms) => letTimePass(at(), ms) };
  });
}

describe('RedisSessionStore', () => {
  const open = async (more: Partial<RedisTestSettings> = {}) => {
    const redis = await openTestRedis({ url: server.url, ...more });
    await redis.connected();
    return redis.store;
  };
  const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url');
  const [A, SESSION, TENANT] = [`winnow:{k}:${hashOf('a')}`, 'winnow:{k}:of:s', 'winnow:{k}:all'];
  const held = new Map([['a', 'value of a']]);
  const fresh = async () => {
    await server.ask('FLUSHALL');
    return open();
  };

  it('loses no note when two proxies add to one session at once', async () => {
    await server.ask('FLUSHALL');
    const [one, other] = [await open(), await open()];
    const keys = Array.from({ length: 100 }, (_, number) => `m${number}`);
    await Promise.all(keys.map((key, number) => (number % 2 === 0 ? one : other).add(PLACE, [note(key)])));
    expect((await one.read('k', keys)).size).toBe(100);
  });

  it('never leaves a key without an expiry', async () => {
    const store = await fresh();
    await store.add(PLACE, [note('a')]);
    for (const key of [A, SESSION, TENANT]) {
      const left = Number((await server.ask('PTTL', key)).slice(1));
      expect(left).toBeGreaterThan(CONTRACT_TTL_MS / 2);
      expect(left).toBeLessThanOrEqual(CONTRACT_TTL_MS);
    }
    expect(await server.ask('DBSIZE')).toBe(':3\r\n');
  });

  it('uses the database that its URL names', async () => {
    await fresh();
    const store = await open({ url: `${server.url}/3` });
    await store.add(PLACE, [note('a')]);
    expect(await server.ask('DBSIZE')).toBe(':0\r\n');
    await server.ask('SWAPDB', '0', '3');
    expect(await server.ask('DBSIZE')).toBe(':3\r\n');
  });

  it('sends nothing when there is nothing to add', async () => {
    const store = await fresh();
    await store.add(PLACE, []);
    expect(await server.ask('DBSIZE')).toBe(':0\r\n');
  });

  it('stores nothing that is readable without the secret', async () => {
    const store = await fresh();
    await store.add(PLACE, [note('a')]);
    const stranger = await open({ secret: 'another' });
    expect(await stranger.read('k', ['a'])).toEqual(new Map());
  });

  it('accepts no value that was stored for another tenant or under another key', async () => {
    const store = await fresh();
    await store.add(PLACE, [note('a')]);
    await server.ask('COPY', A, `winnow:{other}:${hashOf('a')}`);
    await server.ask('COPY', A, `winnow:{k}:${hashOf('b')}`);
    expect(await store.read('other', ['a'])).toEqual(new Map());
    expect(await store.read('k', ['a', 'b'])).toEqual(held);
  });

  it.each([
    ['nonsense', 'hello'],
    ['nothing', ''],
    ['JSON of another program', '{"format":"f"}'],
    ['the version before', `1.${'A'.repeat(22)}.["b"]`],
    ['another version', `3.${'A'.repeat(22)}."b"`],
    ['a wrong seal', `2.${'A'.repeat(22)}."b"`],
    ['a seal cut short', '2.AAA'],
    ['deep JSON', `2.${'A'.repeat(22)}.${'['.repeat(50_000)}`],
    ['broken UTF-8', '\u{fffd}\u{0}\n'],
  ])('skips %s and reads the rest', async (_, value) => {
    const store = await fresh();
    await store.add(PLACE, [note('a')]);
    await server.ask('SET', `winnow:{k}:${hashOf('b')}`, value);
    expect(await store.read('k', ['a', 'b'])).toEqual(held);
  });

  it('skips a value larger than any note without checking its seal', async () => {
    const store = await fresh();
    const key = `winnow:{k}:${hashOf('b')}`;
    await server.ask('SET', key, sealValue('x'.repeat(2 ** 20), key, createSecretKey(Buffer.from('s'))));
    expect(await store.read('k', ['b'])).toEqual(new Map());
  });

  it("skips notes of the previous version's proxies, and keeps them", async () => {
    const store = await fresh();
    // The format of version 1: the key's own secret would have sealed it.
    await server.ask('RPUSH', 'winnow:{k}:names', `1.${'A'.repeat(22)}.["a"]`);
    await server.ask('RPUSH', 'winnow:{k}:turns', `1.${'B'.repeat(22)}.{"format":"f","keys":["1"]}`);
    expect(await store.read('k', ['a', '1'])).toEqual(new Map());
    await store.add(PLACE, [note('a')]);
    expect(await store.read('k', ['a'])).toEqual(held);
    expect(await server.ask('LLEN', 'winnow:{k}:names')).toBe(':1\r\n');
    expect(await server.ask('LLEN', 'winnow:{k}:turns')).toBe(':1\r\n');
  });

  it('repairs a key of another type', async () => {
    const store = await fresh();
    await server.ask('SADD', A, 'x');
    expect(await store.read('k', ['a'])).toEqual(new Map());
    await store.add(PLACE, [note('a')]);
    await expect.poll(() => store.read('k', ['a'])).toEqual(held);
  });

  it('repairs an index of another type', async () => {
    const store = await fresh();
    await server.ask('SET', SESSION, 'x');
    await store.add(PLACE, [note('a')]);
    await expect.poll(() => server.ask('LLEN', SESSION)).toBe(':1\r\n');
    expect(await store.read('k', ['a'])).toEqual(held);
  });

  it('rejects a note that is too large with an error, and stores the rest', async () => {
    const store = await fresh();
    const large = note('large', 'x'.repeat(2 ** 20));
    await expect(store.add(PLACE, [large, note('a')])).rejects.toThrow('too_large');
    expect(await store.read('k', ['a', 'large'])).toEqual(held);
  });

  it('drops the oldest notes of a session with too many, and none of another session', async () => {
    const store = await fresh();
    await store.add({ ...PLACE, session: 'quiet' }, [note('quiet')]);
    const keys = Array.from({ length: 2_304 }, (_, number) => `n${number}`);
    for (let at = 0; at < keys.length; at += 64) {
      await store.add(
        PLACE,
        keys.slice(at, at + 64).map((key) => note(key)),
      );
    }
    await expect.poll(async () => Number((await server.ask('LLEN', SESSION)).slice(1))).toBeLessThan(2_048);
    const left = await store.read('k', ['quiet', ...keys]);
    expect(left.has('quiet') && left.has('n2303')).toBe(true);
    expect(left.has('n0')).toBe(false);
  });

  it('removes no key that another program has written into an index', async () => {
    const store = await fresh();
    const others = ['theirs', 'winnow:{other}:note', `winnow:{other}:${hashOf('a')}`, 'winnow:{k}:of:quiet'];
    for (const key of others) await server.ask('SET', key, 'x');
    await server.ask('RPUSH', SESSION, ...others.map((key) => `${2 ** 30} ${key}`), `-1e308 ${A}`);
    for (let count = 0; count < 128; count += 64) {
      const keys = Array.from({ length: 64 }, (_, number) => `o${count + number}`);
      await store.add(
        PLACE,
        keys.map((key) => note(key)),
      );
    }
    await expect.poll(() => server.ask('LRANGE', SESSION, '0', '4')).not.toContain('theirs');
    for (const key of others) expect(await server.ask('EXISTS', key), key).toBe(':1\r\n');
  });

  it('trusts no server of an authority that is not configured', async () => {
    const redis = await openTestRedis({
      url: `rediss://winnow:w%C3%B6rd@127.0.0.1:${guarded.tlsPort}`,
      settings: tlsSettings('stranger.pem'),
    });
    await expect.poll(() => redis.lines).toMatchObject([{ event: 'session_store_down' }]);
    await expect(redis.store.read('k', ['a'])).rejects.toThrow('unreachable');
  });
});
