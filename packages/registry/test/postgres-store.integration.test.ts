/**
 * @module-tag postgres
 */
import {
  generateQueries,
  generateTools,
  type PostgresServer,
  startPostgres,
  toProviderTool,
} from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  type ChangeEvent,
  createPostgresStore,
  makeEpoch,
  type Registration,
  type Registry,
  type RegistryStore,
} from '../src/index.ts';
import { killWriters } from './kill-writers.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';
import { describeStore } from './store-contract.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.close());

const ids = countingIds();
let databases = 0;

/** An empty database of the server. */
async function makeDatabase(): Promise<string> {
  const name = `registry_${++databases}`;
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return server.url.replace(/postgres$/, name);
}

/** A store; it is closed when the test ends. */
async function openStore(url: string): Promise<RegistryStore> {
  const store = await createPostgresStore({ url, makeEpoch: () => makeEpoch(ids), timeoutMs: 5_000 });
  onTestFinished(() => store.close());
  return store;
}

describeStore('Postgres', async () => {
  const url = await makeDatabase();
  return { isDurable: true, open: () => openStore(url) };
});

/** Two instances over one database. */
async function twoInstances(): Promise<[Registry, Registry]> {
  const url = await makeDatabase();
  const [one, other] = await Promise.all([openStore(url), openStore(url)]);
  return Promise.all([makeRegistry({ store: one }), makeRegistry({ store: other })]);
}

/** Resolves when a registry has a version; it hears of changes by itself. */
function reach(registry: Registry, version: number): Promise<void> {
  if (registry.version >= version) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = registry.onChange(() => {
      if (registry.version < version) return;
      stop();
      resolve();
    });
  });
}

describe('instances over one database', () => {
  test('R39: a change of one instance is searched, listed and announced by the other, without a request', async () => {
    const [one, other] = await twoInstances();
    const events: ChangeEvent[] = [];
    other.onChange((event) => events.push(event));
    expectOk(await one.register([registration('a', { namespace: 'n' }), registration('b')]));
    expectOk(await one.unregister('b'));
    await reach(other, 2);
    expect(expectOk(await other.search('handles')).tools.map((tool) => tool.id)).toEqual(['n:a']);
    expect(await other.get('n__a')).toEqual(await one.get('n__a'));
    expect(events.map(({ type, version, index }) => `${version}.${index} ${type}`)).toEqual([
      '1.0 tool_registered',
      '1.1 tool_registered',
      '2.0 tool_removed',
    ]);
    expect((await other.stats()).indexHash).toBe((await one.stats()).indexHash);
    const place = { version: 1, index: 0 };
    expect(other.changesSince(place)).toEqual(one.changesSince(place));
  });

  test('R39: both find what a registry in memory finds, with the same scores', async () => {
    const tools = generateTools({ count: 300, seed: 71 });
    const registrations = tools.map((tool, n) => ({
      tool: toProviderTool(tool, 'mcp') as Registration['tool'],
      namespace: ['', 'jira', 'mail'][n % 3]!,
      backend: { kind: 'local' as const, handler: `h${n}` },
    }));
    const [one, other] = await twoInstances();
    const memory = await makeRegistry();
    for (const registry of [one, memory]) expectOk(await registry.register(registrations));
    await reach(other, 1);
    for (const query of [...generateQueries(tools, { count: 40, seed: 73 }), 'get_.*', 'jira:*']) {
      const [found, expected] = [await other.search(query), expectOk(await memory.search(query))];
      expect(expectOk(found)).toEqual(expect.objectContaining({ tools: expected.tools }));
    }
  });

  test('R39: both have one epoch, so that a cursor of one is good for the other', async () => {
    const [one, other] = await twoInstances();
    expectOk(await one.register(['a', 'b', 'c'].map((name) => registration(name))));
    await reach(other, 1);
    expect(other.epoch).toBe(one.epoch);
    const list = expectOk(await one.list({}, { pageSize: 2 }));
    expect(expectOk(await other.list({}, { cursor: list.nextCursor! })).rows.map((row) => row.id)).toEqual([
      'c',
    ]);
    const found = expectOk(await one.search('handles', { pageSize: 2 }));
    expect(
      expectOk(await other.search('handles', { cursor: found.nextCursor! })).tools.map((tool) => tool.id),
    ).toEqual(['c']);
  });

  test('R39: instances that change at once lose nothing, and versions have no gap', async () => {
    const instances = await twoInstances();
    const told: number[][] = [[], []];
    for (const [n, registry] of instances.entries())
      registry.onChange((event) => told[n]!.push(event.version));
    const changes = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        instances[n % 2]!.register([
          registration(`t${n % 20}`, {
            version: String(n),
            backend: { kind: 'local', handler: `h${n % 3}` },
          }),
        ]),
      ),
    );
    const versions = changes.map((change) => expectOk(change).version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    await Promise.all(instances.map((registry) => reach(registry, 60)));
    for (const one of told) expect(one).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    const [left, right] = await Promise.all(
      instances.map((registry) => registry.list({}, { pageSize: 100 })),
    );
    expect(left).toEqual(right);
  });

  test('R39: a conflict is found with what another instance has registered a moment ago', async () => {
    const [one, other] = await twoInstances();
    const outcomes = await Promise.all([
      one.register([
        registration('x', { tool: { title: 'One' }, backend: { kind: 'local', handler: 'one' } }),
      ]),
      other.register([
        registration('x', { tool: { title: 'Other' }, backend: { kind: 'local', handler: 'other' } }),
      ]),
    ]);
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ code: 'tool_conflict' });
  });

  test('R39: an instance that has missed more than the history tells of loads everything again', async () => {
    const url = await makeDatabase();
    const one = await makeRegistry({ store: await openStore(url) });
    const other = await makeRegistry({ store: await openStore(url) });
    const batch = Array.from({ length: 300 }, (_, n) => registration(`t${n}`));
    for (let round = 0; round < 53; round++) {
      expectOk(await one.register(batch.map((tool) => ({ ...tool, version: String(round) }))));
    }
    await reach(other, 53);
    await other.catchUp();
    expect((await other.stats()).indexHash).toBe((await one.stats()).indexHash);
    expect((await other.get('t0'))?.version).toBe('52');
  });

  test('R37: a database that is away refuses changes, keeps answering reads, and is caught up with when it is back', async () => {
    const own = await startPostgres();
    onTestFinished(() => own.close());
    const registry = await makeRegistry({ store: await openStore(own.url) });
    expectOk(await registry.register([registration('a')]));
    await own.kill();
    expect(await registry.register([registration('b')])).toMatchObject({
      ok: false,
      code: 'storage_unavailable',
    });
    expect(expectOk(await registry.search('handles')).totalMatches).toBe(1);
    await expect(registry.catchUp()).rejects.toThrow();
    await own.start();
    const writer = await makeRegistry({ store: await openStore(own.url) });
    expectOk(await writer.register([registration('c')]));
    await registry.catchUp();
    expect(await registry.get('c')).toBeDefined();
    expectOk(await registry.register([registration('d')]));
  }, 60_000);

  test('R37: a connection that breaks between two statements of a change refuses that change alone', async () => {
    const url = await makeDatabase();
    const store = await openStore(url);
    const scope = await store.openScope('tools');
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const outcome = await scope.transact(async () => {
      const { rowCount } = await admin.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      expect(rowCount).toBe(1);
      // The client library hears of it.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { changes: [], toolCount: 0, keepFrom: 0 };
    });
    expect(outcome).toEqual({ ok: false, code: 'storage_unavailable' });
    expect(await scope.transact(async () => ({ changes: [], toolCount: 0, keepFrom: 0 }))).toEqual({
      ok: true,
    });
  });

  test('R37: a database that cannot be reached stops the start, and its address is not repeated', async () => {
    const opening = createPostgresStore({
      url: 'postgres://winnow:secret@127.0.0.1:1/none',
      makeEpoch: () => makeEpoch(ids),
    });
    await expect(opening).rejects.toMatchObject({
      name: 'StoreError',
      code: 'unreachable',
      message: 'The Postgres database cannot be used (ECONNREFUSED).',
    });
  });

  test('R37: killed in the middle of batches, has all of a batch or nothing, and everything that was confirmed', async () => {
    const place = await makeDatabase();
    expect(
      await killWriters({
        kind: 'postgres',
        place,
        open: () => openStore(place),
        rounds: inject('isExhaustive') ? 8 : 4,
      }),
    ).toEqual([]);
  }, 120_000);
});
