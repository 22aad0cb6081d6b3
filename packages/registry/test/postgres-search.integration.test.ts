/**
 * @module-tag postgres
 */
import { Collection } from '@winnow/ranking';
import {
  generateQueries,
  generateTools,
  type PostgresServer,
  startPostgres,
  toProviderTool,
} from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createPostgresStore,
  makeEpoch,
  type Registration,
  type Registry,
  type RegistryOptions,
  type RegistryStore,
  type Searcher,
  sightOf,
} from '../src/index.ts';
import { EngineSearcher } from '../src/search/engine-searcher.ts';
import { toolDocument } from '../src/search/tool-document.ts';
import { scoredConcepts, TellingTerms } from '../src/stores/postgres/telling-terms.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';
import { describeSearcher } from './searcher-contract.ts';
import { storedTools } from './stored-tools.ts';

let server: PostgresServer;
let store: RegistryStore;
beforeAll(async () => {
  server = await startPostgres();
  store = await createPostgresStore({ url: server.url, makeEpoch: () => makeEpoch(ids), timeoutMs: 5_000 });
}, 60_000);
afterAll(async () => {
  await store.close();
  await server.close();
});

const ids = countingIds();
let scopes = 0;

/** A searcher over an empty scope, whose changes and searches are carried out in their order. */
function makeSearcher(): Searcher {
  const opened = store.openScope(`searched-${++scopes}`);
  let written: Promise<unknown> = opened;
  let read: Promise<unknown> = opened;
  let version = 0;
  const searcher = new EngineSearcher(
    {
      name: 'postgres',
      find(query) {
        const found = Promise.all([opened, written]).then(([scope]) => scope.engine!.find(query));
        read = Promise.allSettled([read, found]);
        return found;
      },
    },
    async () => {},
  );
  return {
    name: searcher.name,
    deterministic: true,
    bytes: 0,
    apply(change) {
      searcher.apply(change);
      written = Promise.all([opened, written, read]).then(([scope]) =>
        scope.transact(async () => {
          version++;
          return {
            changes: [
              { version, at: 0, events: [{ type: 'refreshed', version, index: 0, at: 0 }], ...change },
            ],
            toolCount: 0,
            keepFrom: version,
          };
        }),
      );
    },
    search: (query) => searcher.search(query),
  };
}

describeSearcher('of the Postgres engine', makeSearcher);

/** Beyond this many tools the engine answers. */
const LIMITS = { indexedTools: 100 };

const generated = generateTools({ count: 1_500, seed: 71 });
const registrations = generated.map(
  (tool, n): Registration => ({
    tool: {
      ...(toProviderTool(tool, 'mcp') as Registration['tool']),
      annotations: { readOnlyHint: n % 2 === 0, cost: { cents: n % 3 } },
    },
    namespace: ['', 'jira', 'mail', 'team-a', 'team-b'][n % 5]!,
    tags: n % 4 === 0 ? ['Hot', `t${n % 3}`] : [],
    backend:
      n % 3 === 0
        ? { kind: 'mcp', server: `server ${n % 7}` }
        : { kind: 'provider', provider: 'p', tool: `x${n}` },
  }),
);

async function fill(registry: Registry, tools: readonly Registration[] = registrations): Promise<Registry> {
  for (let at = 0; at < tools.length; at += 1_000)
    expectOk(await registry.register(tools.slice(at, at + 1_000)));
  return registry;
}

/** A registry over a scope of its own in the database, which is searched by the engine. */
async function inEngine(options: Partial<RegistryOptions> = {}): Promise<Registry> {
  return makeRegistry({ store, scope: `registry-${++scopes}`, limits: LIMITS, ...options });
}

const idsOf = (page: { readonly tools: readonly { readonly id: string }[] }) =>
  page.tools.map(({ id }) => id);

describe('a registry that is searched by the Postgres engine', () => {
  let engine: Registry;
  let memory: Registry;
  beforeAll(async () => {
    [engine, memory] = [await fill(await inEngine()), await fill(await makeRegistry())];
  }, 60_000);

  test('R17: finds what the index of a process finds, in nearly the same order', async () => {
    let [same, first, all] = [0, 0, 0];
    const queries = generateQueries(generated, { count: 60, seed: 72 });
    for (const query of queries) {
      const expected = expectOk(await memory.search(query));
      const found = expectOk(await engine.search(query));
      expect(found.totalMatches).toBe(expected.totalMatches);
      same += idsOf(found).filter((id) => idsOf(expected).includes(id)).length;
      all += expected.tools.length;
      if (found.tools[0]?.id === expected.tools[0]?.id) first++;
    }
    expect(same / all).toBeGreaterThan(0.95);
    expect(first / queries.length).toBeGreaterThan(0.95);
  });

  test('R17: what fits into the sample is found with the very scores of the index of a process', async () => {
    const few = { namespaces: ['jira'], tags: ['hot'] };
    for (const query of generateQueries(generated, { count: 40, seed: 73 })) {
      const options = { filter: few, pageSize: 100 };
      const [found, expected] = [await engine.search(query, options), await memory.search(query, options)];
      expect(found).toEqual(expected);
    }
  });

  test.each([
    { namespaces: ['', 'mail'] },
    { namespaces: [] },
    { tags: ['HOT'] },
    { tags: ['t1', 't2'] },
    { tagsAll: ['hot', 't1'] },
    { servers: ['server 3', 'server 0'] },
    { servers: [''] },
    { kinds: ['mcp'] as const },
    { annotations: { readOnlyHint: true } },
    { annotations: { readOnlyHint: false, cost: { cents: 2 } } },
    { annotations: { readOnlyHint: 'true' } },
    { category: 'mail' },
    { category: 'hot', kinds: ['provider'] as const, namespaces: ['jira', 'team-a'] },
    { namespaces: ["it's", 'x\\', '%'], tags: ["'"] },
  ])('R23: filters before it ranks and cuts: %j', async (filter) => {
    for (const query of ['create', 'list all users of the project', 'get_*', '^list_', 'creat invoic']) {
      const [found, expected] = await Promise.all(
        [engine, memory].map(async (one) => expectOk(await one.search(query, { filter, pageSize: 100 }))),
      );
      expect(found!.totalMatches).toBe(expected!.totalMatches);
      const byId = new Map((await memoryTools()).map((tool) => [tool.id, tool]));
      for (const id of idsOf(found!)) expect(byId.has(id)).toBe(true);
      if (expected!.totalMatches <= 100) expect(new Set(idsOf(found!))).toEqual(new Set(idsOf(expected!)));
      else expect(found!.tools.length).toBe(100);
    }
  });

  async function memoryTools() {
    const rows = [];
    for (let cursor: string | undefined; ; ) {
      const page = expectOk(
        await memory.list({}, { pageSize: 100, ...(cursor !== undefined && { cursor }) }),
      );
      rows.push(...page.rows);
      if (page.nextCursor === undefined) return rows;
      cursor = page.nextCursor;
    }
  }

  test('R23: what is excluded takes no place', async () => {
    const filter = { namespaces: ['jira'], tags: ['hot'] };
    const all = expectOk(await engine.search('create', { pageSize: 100, filter }));
    const exclude = idsOf(all).slice(0, 2);
    const options = { pageSize: all.totalMatches - 2, filter: { ...filter, exclude } };
    const rest = expectOk(await engine.search('create', options));
    expect(all.totalMatches).toBeGreaterThan(4);
    expect(rest).toEqual(expectOk(await memory.search('create', options)));
    expect(new Set(idsOf(rest))).toEqual(new Set(idsOf(all).slice(2)));
  });

  test('R24: what is out of sight is not found, not counted, and not named', async () => {
    const globs = sightOf(['team-*', 'mail']);
    const [seen, expected] = [engine.within(globs), memory.within(globs)];
    for (const query of ['create', 'send a mail', 'get_*', engineId('jira')]) {
      const [found, wanted] = [expectOk(await seen.search(query)), expectOk(await expected.search(query))];
      expect(found.totalMatches).toBe(wanted.totalMatches);
      expect(found.tools.every(({ namespace }) => /^(team-.|mail)$/.test(namespace))).toBe(true);
    }
    const nothing = expectOk(await engine.within(sightOf([])).search('create'));
    expect(nothing).toMatchObject({ totalMatches: 0, tools: [], nearestNamespaces: [] });
  });

  function engineId(namespace: string): string {
    const { tool } = registrations.find((one) => one.namespace === namespace)!;
    return `${namespace}:${tool.name}`;
  }

  test('R18: what the query names comes first, in its order, by id, name, model name or server', async () => {
    const [jira, mail, served] = [1, 2, 3].map((n) => registrations[n]!);
    const server = served!.backend.kind === 'mcp' ? served!.backend.server : '';
    expect(server).toBe('server 3');
    const wanted = [mail, jira].map((one) => `${one!.namespace}:${one!.tool.name}`);
    const query = `use ${wanted[0]}, then ${jira!.namespace}__${jira!.tool.name}.`;
    expect(idsOf(expectOk(await engine.search(query))).slice(0, 2)).toEqual(wanted);
    const whole = expectOk(await engine.search(`${server}__${served!.tool.name}`));
    expect(whole.tools[0]).toMatchObject({ name: served!.tool.name });
    expect(whole.tools[0]!.matchedOn).toContain('exact_name');
    const chosen = expectOk(await engine.search(`select:${wanted.join(',')}`));
    expect(idsOf(chosen)).toEqual(wanted);
  });

  test('R31: pages come from one list, behind what was ranked too', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    let last = 1;
    do {
      const page = expectOk(
        await engine.search('create or list or get or delete a user', {
          pageSize: 100,
          ...(cursor !== undefined && { cursor }),
        }),
      );
      for (const tool of page.tools) {
        expect(tool.relevanceScore).toBeLessThanOrEqual(last);
        expect(tool.matchedOn.length).toBeGreaterThan(0);
        last = tool.relevanceScore;
      }
      found.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found.length).toBeGreaterThan(300);
    expect(new Set(found).size).toBe(found.length);
  });

  test('R22: finds nothing where there is nothing, and reads loosely before', async () => {
    const nothing = expectOk(await engine.search('zzzzzz qqqqqq'));
    expect(nothing).toMatchObject({ noMatch: true, totalMatches: 0 });
    const loosely = expectOk(await engine.search('creat invo'));
    expect(loosely.totalMatches).toBe(expectOk(await memory.search('creat invo')).totalMatches);
  });

  test.each([
    '',
    '   ',
    '!?., ;',
    '💥',
    'سجل فاتورة',
    '\u0000',
    "a'b\\c:d&e|f!g(h)<->i",
    "'; DROP TABLE winnow_registry_search; --",
    'create '.repeat(2_300),
    'a.b.c.d.e.f.g.h.i.j.k:l:m',
  ])('R71: is safe whatever the query holds: %j', async (query) => {
    const [found, expected] = [await engine.search(query), await memory.search(query)];
    expect(expectOk(found).totalMatches).toBe(expectOk(expected).totalMatches);
  });
});

describe('searching by the Postgres engine', () => {
  test('R26: a database that does not answer makes a search unavailable, never empty, and is reported', async () => {
    const own = await startPostgres();
    onTestFinished(() => own.close());
    const away = await createPostgresStore({
      url: own.url,
      makeEpoch: () => makeEpoch(ids),
      timeoutMs: 2_000,
    });
    onTestFinished(() => away.close());
    const told: unknown[] = [];
    const registry = await makeRegistry({
      store: away,
      limits: LIMITS,
      onUnavailable: (error) => told.push(error),
    });
    await fill(registry, registrations.slice(0, 150));
    const before = expectOk(await registry.search('create'));
    await own.kill();
    expect(await registry.search('delete')).toMatchObject({ ok: false, code: 'search_unavailable' });
    expect(told.length).toBe(1);
    // What needs no engine is there, and so is what is kept.
    expect(expectOk(await registry.search('')).totalMatches).toBe(150);
    expect(idsOf(expectOk(await registry.search('create')))).toEqual(idsOf(before));
    await own.start();
    expect(expectOk(await registry.search('delete')).totalMatches).toBeGreaterThan(0);
  }, 60_000);

  test('R19: the same query finds the same after a restart, and by another instance', async () => {
    const scope = `registry-${++scopes}`;
    const one = await fill(await makeRegistry({ store, scope, limits: LIMITS }), registrations.slice(0, 700));
    // Came, changed and went in another order than in a process that only reads.
    expectOk(await one.unregister(`jira:${registrations[1]!.tool.name}`));
    expectOk(
      await one.register(
        [{ ...registrations[7]!, tool: { ...registrations[7]!.tool, description: 'Sends a letter.' } }],
        { onDifference: 'replace' },
      ),
    );
    const other = await makeRegistry({ store, scope, limits: LIMITS });
    for (const query of generateQueries(generated, { count: 30, seed: 74 })) {
      expect(await other.search(query, { pageSize: 100 })).toEqual(
        await one.search(query, { pageSize: 100 }),
      );
    }
  });

  test('R28: the number of tools alone decides who answers, both ways over the limit', async () => {
    const engine = await inEngine();
    const memory = await makeRegistry();
    const tools = registrations.slice(0, 130);
    const compare = async () => {
      for (const query of ['create an invoice', 'list', 'get_*', `select:${tools[0]!.tool.name}`]) {
        const options = { pageSize: 100 };
        const [found, expected] = [await engine.search(query, options), await memory.search(query, options)];
        expect(found).toEqual({ ...expected, version: engine.version });
      }
    };
    for (const upTo of [80, 95, 101, 130]) {
      const part = tools.slice(0, upTo);
      await Promise.all([fill(engine, part), fill(memory, part)]);
      await compare();
    }
    for (const [n, { namespace, tool }] of tools.slice(0, 60).entries()) {
      const id = namespace === '' ? tool.name : `${namespace}:${tool.name}`;
      for (const registry of [engine, memory]) expectOk(await registry.unregister(id));
      if (n % 12 === 0) await compare();
    }
    await compare();
  });

  test('R36: what is registered is found at once, and what goes is gone at once', async () => {
    const registry = await fill(await inEngine(), registrations.slice(0, 150));
    for (let round = 0; round < 10; round++) {
      expectOk(
        await registry.register(
          [registration(`zebra_${round}`, { tool: { description: 'Feeds the zebra.' } })],
          { onDifference: 'replace' },
        ),
      );
      const found = expectOk(await registry.search('feed zebra'));
      expect(idsOf(found)).toEqual([`zebra_${round}`]);
      expectOk(await registry.unregister(`zebra_${round}`));
      expect(idsOf(expectOk(await registry.search('feed zebra')))).toEqual([]);
    }
  });

  test('R39: a change of one instance is found by the other when it has followed', async () => {
    const scope = `registry-${++scopes}`;
    const [one, other] = [
      await makeRegistry({ store, scope, limits: LIMITS }),
      await makeRegistry({ store, scope, limits: LIMITS }),
    ];
    await fill(one, registrations.slice(0, 150));
    expectOk(await one.register([registration('zebra', { tool: { description: 'Feeds the zebra.' } })]));
    await other.catchUp();
    expect(idsOf(expectOk(await other.search('feed zebra')))).toEqual(['zebra']);
  });

  test('R24: two scopes with the same ids never meet', async () => {
    const [one, other] = [
      await fill(await inEngine(), registrations.slice(0, 150)),
      await fill(await inEngine(), registrations.slice(0, 120)),
    ];
    expectOk(
      await one.register(
        [{ ...registrations[0]!, tool: { ...registrations[0]!.tool, description: 'Feeds the zebra.' } }],
        { onDifference: 'replace' },
      ),
    );
    expect(expectOk(await one.search('feed the zebra')).totalMatches).toBe(1);
    expect(expectOk(await other.search('feed the zebra')).totalMatches).toBe(0);
    expect(expectOk(await other.search('create', { pageSize: 100 })).totalMatches).toBe(
      expectOk(await (await fill(await makeRegistry(), registrations.slice(0, 120))).search('create'))
        .totalMatches,
    );
  });

  test('R71: finds its way among equal names in many namespaces', async () => {
    const registry = await inEngine();
    const many = Array.from({ length: 1_200 }, (_, n) =>
      registration('ping', { namespace: `n${String(n).padStart(4, '0')}` }),
    );
    await fill(registry, many);
    const found = expectOk(await registry.search('ping', { pageSize: 100 }));
    expect(found.totalMatches).toBe(1_200);
    expect(idsOf(found)).toEqual(many.slice(0, 100).map(({ namespace }) => `${namespace}:ping`));
    const next = expectOk(await registry.search('ping', { pageSize: 100, cursor: found.nextCursor! }));
    expect(idsOf(next)).toEqual(many.slice(100, 200).map(({ namespace }) => `${namespace}:ping`));
    expect(next.tools.every(({ matchedOn }) => matchedOn.includes('exact_name'))).toBe(true);
  });

  test('R17: what is ranked is the best of all that match, though most of that is only counted', async () => {
    const tools = storedTools(1_500, 71);
    const scope = await store.openScope(`wide-${++scopes}`);
    const event = { type: 'refreshed', version: 1, index: 0, at: 0 } as const;
    const change = { version: 1, at: 0, events: [event], upserts: tools, removals: [] };
    await scope.transact(async () => ({ changes: [change], toolCount: tools.length, keepFrom: 1 }));
    const collection = new Collection();
    collection.add(tools.map(toolDocument));
    const view = collection.view();
    let spared = 0;
    for (const text of generateQueries(generated, { count: 60, seed: 76 })) {
      const concepts = view.read(text);
      const query = { concepts, names: [], filter: {}, alsoIds: [] };
      const all = await scope.engine!.find({ ...query, limit: 1_500, ranked: 1_500 });
      for (const [ranked, limit] of [
        [5, 5],
        [10, 40],
      ] as const) {
        const best = await scope.engine!.find({ ...query, limit, ranked });
        expect(best.hits.slice(0, ranked)).toEqual(all.hits.slice(0, ranked));
        expect(best.hits.length).toBe(Math.min(limit, all.hits.length));
        expect(best.totalMatches).toBe(all.hits.length);
        const telling = new TellingTerms(scoredConcepts(concepts));
        if (telling.first(ranked, limit) < telling.terms.length) spared++;
      }
      const filter = { exclude: all.hits.slice(0, 3).map(({ id }) => id) };
      const others = await scope.engine!.find({ ...query, filter, limit: 5, ranked: 5 });
      expect(others.hits).toEqual(all.hits.slice(3, 8));
      expect(others.totalMatches).toBe(Math.max(0, all.hits.length - 3));
    }
    expect(spared).toBeGreaterThan(30);
  });

  test('writes what finds the tools again when another version has written it', async () => {
    const scope = `registry-${++scopes}`;
    await fill(await makeRegistry({ store, scope, limits: LIMITS }), registrations.slice(0, 150));
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query('UPDATE winnow_registry_scopes SET search_form = 0 WHERE name = $1', [scope]);
    await admin.query(
      'DELETE FROM winnow_registry_search WHERE scope = (SELECT id FROM winnow_registry_scopes WHERE name = $1)',
      [scope],
    );
    const registry = await makeRegistry({ store, scope, limits: LIMITS });
    expect(expectOk(await registry.search('create')).totalMatches).toBeGreaterThan(0);
  });
});
