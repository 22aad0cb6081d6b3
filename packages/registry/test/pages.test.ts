import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { createMemoryStore, sightOf, type ToolFilter, type ToolSummary } from '../src/index.ts';
import { Cursors } from '../src/pages.ts';
import type { Page } from '../src/registry.ts';
import type { Epoch } from '../src/stores/store.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';

const names = (count: number) =>
  Array.from({ length: count }, (_, n) => `tool_${String(n).padStart(3, '0')}`);

describe('cursors', () => {
  test('R29: are opaque, and at most 512 characters however long an id is', async () => {
    const registry = await makeRegistry();
    const namespace = 'n'.repeat(64);
    await registry.register(['a', 'b'].map((last) => registration('x'.repeat(127) + last, { namespace })));
    const { nextCursor } = expectOk(await registry.list({}, { pageSize: 1 }));
    expect(nextCursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
  });

  test('R29: a list continues after its last id, and gives every row that is there throughout exactly once', async () => {
    const random = createRandom(29);
    for (let round = 0; round < 20; round++) {
      const registry = await makeRegistry();
      const staying = names(40).filter(() => random.chance(0.6));
      const coming = names(40).filter((name) => !staying.includes(name));
      await registry.register([...staying, 'zz'].map((name) => registration(name)));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page: Page<ToolSummary> = expectOk(
          await registry.list({}, { pageSize: random.between(1, 7), ...(cursor && { cursor }) }),
        );
        seen.push(...page.rows.map((row) => row.id));
        cursor = page.nextCursor;
        const name = random.pick([...coming, 'other']);
        if (random.chance(0.5)) await registry.register([registration(name)]);
        else await registry.unregister(name);
      } while (cursor !== undefined);
      expect(seen).toEqual(seen.toSorted());
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => staying.includes(id))).toEqual(staying);
    }
  });

  test('R30: are invalid when altered anywhere, made up, or used for anything else', async () => {
    const registry = await makeRegistry();
    await registry.register(
      ['a', 'b', 'c'].map((name) => registration(name, { namespace: name, tags: ['t'] })),
    );
    const { nextCursor = '' } = expectOk(await registry.list({ tags: ['t'] }, { pageSize: 1 }));
    const { nextCursor: found = '' } = expectOk(await registry.search('handles', { pageSize: 1 }));
    expect(expectOk(await registry.list({ tags: ['T '] }, { cursor: nextCursor })).rows.length).toBe(2);

    const isInvalid = { ok: false, code: 'invalid_cursor' };
    for (let at = 0; at < nextCursor.length; at++) {
      const letter = nextCursor[at] === 'A' ? 'B' : 'A';
      const altered = nextCursor.slice(0, at) + letter + nextCursor.slice(at + 1);
      const outcome = await registry.list({ tags: ['t'] }, { cursor: altered });
      expect(outcome.ok).toBe(false);
    }
    for (const cursor of [
      '',
      'x',
      '%%%',
      'A'.repeat(600),
      `${nextCursor}=`,
      Buffer.from('[1,2]').toString('base64url'),
    ]) {
      expect(await registry.list({ tags: ['t'] }, { cursor })).toMatchObject(isInvalid);
      expect(await registry.search('handles', { cursor })).toMatchObject(isInvalid);
    }
    expect(await registry.list({}, { cursor: nextCursor })).toMatchObject(isInvalid);
    expect(await registry.list({ tags: ['t', 'u'] }, { cursor: nextCursor })).toMatchObject(isInvalid);
    expect(await registry.namespaces({ cursor: nextCursor })).toMatchObject(isInvalid);
    expect(await registry.search('handles', { cursor: nextCursor })).toMatchObject(isInvalid);
    expect(await registry.list({}, { cursor: found })).toMatchObject(isInvalid);
    expect(await registry.search('handles it', { cursor: found })).toMatchObject(isInvalid);
    expect(await registry.search('handles', { cursor: found, limit: 2 })).toMatchObject(isInvalid);
    expect(await registry.search('handles', { cursor: found, searchType: 'keyword' })).toMatchObject(
      isInvalid,
    );
    expect(await registry.search('handles', { cursor: found, filter: { tags: ['t'] } })).toMatchObject(
      isInvalid,
    );
    expect(await registry.search('handles', { cursor: found, alwaysKeep: ['a:a'] })).toMatchObject(isInvalid);
    expect(await registry.within(sightOf(['a*'])).search('handles', { cursor: found })).toMatchObject(
      isInvalid,
    );
    expectOk(await registry.search('handles', { cursor: found }));
    const { nextCursor: named = '' } = expectOk(await registry.namespaces({ pageSize: 1 }));
    const everything = registry.within(sightOf(['a*']));
    expect(await everything.list({ tags: ['t'] }, { cursor: nextCursor })).toMatchObject(isInvalid);
    expect(await everything.namespaces({ cursor: named })).toMatchObject(isInvalid);
    expectOk(await registry.namespaces({ cursor: named }));
  });

  test('R29: are bound to their kind, their key, their scope and their epoch', () => {
    const [id, key] = ['epoch', 'ab'.repeat(32)];
    const cursors = new Cursors('one', { id, key });
    const binding = { kind: 'tools', key: 'x' } as const;
    const cursor = cursors.write({ after: 'a' }, binding);
    expect(cursors.read(cursor, binding)).toEqual({ ok: true, position: { after: 'a' } });
    const invalid = { ok: false, code: 'invalid_cursor' };
    expect(cursors.read(cursor, { ...binding, kind: 'namespaces' })).toEqual(invalid);
    expect(cursors.read(cursor, { ...binding, key: 'y' })).toEqual(invalid);
    expect(new Cursors('two', { id, key }).read(cursor, binding)).toEqual(invalid);
    expect(new Cursors('one', { id, key: 'cd'.repeat(32) }).read(cursor, binding)).toEqual(invalid);
    const later = new Cursors('one', { id: 'later', key });
    expect(later.read(cursor, binding)).toEqual({ ok: false, code: 'stale_cursor' });
  });

  test('R30: of another scope are invalid, of another life of the same scope stale', async () => {
    const makeStore = (first: string) => {
      const ids = countingIds();
      const makeEpoch = (): Epoch => ({ id: `${first}-${ids().slice(0, 8)}`, key: ids() });
      return createMemoryStore({ makeEpoch });
    };
    const store = makeStore('one');
    const [mine, theirs] = await Promise.all(
      ['mine', 'theirs'].map(async (scope) => {
        const registry = await makeRegistry({ store, scope });
        await registry.register([registration('a'), registration('b')]);
        return registry;
      }),
    );
    const { nextCursor = '' } = expectOk(await mine!.list({}, { pageSize: 1 }));
    expect(await theirs!.list({}, { cursor: nextCursor })).toMatchObject({ code: 'invalid_cursor' });
    const restarted = await makeRegistry({ store: makeStore('two'), scope: 'mine' });
    expect(await restarted.list({}, { cursor: nextCursor })).toMatchObject({ code: 'stale_cursor' });
    expect(await restarted.search('x', { cursor: nextCursor })).toMatchObject({ code: 'stale_cursor' });
  });

  test('R30: of results that are no longer kept are stale once the content has changed', async () => {
    let now = 0;
    const registry = await makeRegistry({ clock: { now: () => now, wallClock: () => 0 } });
    await registry.register(names(5).map((name) => registration(name)));
    const { nextCursor = '', tools } = expectOk(await registry.search('handles', { pageSize: 2 }));
    now = 60_001;
    // The same content gives the same results, so that nothing is lost yet.
    const next = expectOk(await registry.search('handles', { cursor: nextCursor, pageSize: 2 }));
    expect([...tools, ...next.tools].map((tool) => tool.id)).toEqual(names(4));
    now = 120_002;
    await registry.register([registration('new')]);
    expect(await registry.search('handles', { cursor: nextCursor })).toMatchObject({ code: 'stale_cursor' });
  });

  test('R31: pages of one search neither overlap nor skip, whatever changes in the meantime, and the last has no cursor', async () => {
    const random = createRandom(31);
    for (let round = 0; round < 20; round++) {
      const registry = await makeRegistry();
      await registry.register(
        names(30).map((name) =>
          registration(name, { tool: { description: `Handles ${'it '.repeat(random.below(9))}` } }),
        ),
      );
      const expected = expectOk(await registry.search('handles it', { pageSize: 100 })).tools.map(
        (tool) => tool.id,
      );
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = expectOk(
          await registry.search('handles it', { pageSize: random.between(1, 9), ...(cursor && { cursor }) }),
        );
        seen.push(...page.tools.map((tool) => tool.id));
        expect(page.totalMatches).toBe(30);
        cursor = page.nextCursor;
        await registry.register([
          registration(`new_${random.below(5)}`, {
            tool: { description: 'Handles it it it' },
            version: String(random.below(99)),
          }),
        ]);
      } while (cursor !== undefined);
      expect(seen).toEqual(expected);
    }
  });

  test('R31: a page as large as the rest is the last', async () => {
    const registry = await makeRegistry();
    await registry.register(names(4).map((name) => registration(name)));
    for (const pageSize of [4, 5]) {
      expect(expectOk(await registry.list({}, { pageSize })).nextCursor).toBeUndefined();
      expect(expectOk(await registry.search('handles', { pageSize })).nextCursor).toBeUndefined();
    }
    expect(expectOk(await registry.search('handles', { pageSize: 2, limit: 2 })).nextCursor).toBeUndefined();
    expect(expectOk(await registry.namespaces({ pageSize: 1 })).nextCursor).toBeUndefined();
  });

  test('R32: an equal search of one version comes from the kept result, until it is a minute old', async () => {
    let now = 0;
    const registry = await makeRegistry({ clock: { now: () => now, wallClock: () => 0 } });
    await registry.register(names(3).map((name) => registration(name)));
    const cacheOf = async (query: string) => expectOk(await registry.search(query, { pageSize: 2 })).cache;
    expect(await cacheOf('handles')).toBe('miss');
    expect(await cacheOf(' handles ')).toBe('hit');
    expect(expectOk(await registry.search('handles', { pageSize: 1 })).cache).toBe('hit');
    expect(await cacheOf('handled by')).toBe('miss');
    now = 60_000;
    expect(await cacheOf('handles')).toBe('miss');
    await registry.register([registration('new')]);
    expect(await cacheOf('handles')).toBe('miss');
    expect((await registry.stats()).resultCache).toEqual({ hits: 2, misses: 4, lists: 3 });
  });

  test('R32: a search is equal however its filters are spelled', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('a', { tags: ['one', 'two'], namespace: 'n' })]);
    const search = async (filter: ToolFilter) => expectOk(await registry.search('handles', { filter }));
    expect((await search({ tags: ['one', 'two'], namespaces: ['n', 'm'] })).cache).toBe('miss');
    const again = await search({ namespaces: ['m', 'n', 'm'], tags: ['Two', ' ONE '] });
    expect(again).toMatchObject({ cache: 'hit', totalMatches: 1 });
    expect((await search({ tags: ['one'], namespaces: ['n', 'm'] })).cache).toBe('miss');
  });

  test('R32: at most 200 results are kept', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('a')]);
    for (let n = 0; n <= 200; n++) await registry.search(`query ${n}`);
    expect((await registry.stats()).resultCache!.lists).toBe(200);
    expect(expectOk(await registry.search('query 0')).cache).toBe('miss');
    expect(expectOk(await registry.search('query 200')).cache).toBe('hit');
  });

  test('R29: kept results have 8 MiB at most', async () => {
    const registry = await makeRegistry();
    await registry.register(
      names(1_000).map((name) => registration(name, { tool: { description: 'Handles it.' } })),
    );
    for (let n = 0; n < 100; n++) {
      const query = `handles it or ${n}`;
      const { nextCursor } = expectOk(await registry.search(query, { limit: 1_000 }));
      await registry.search(query, { limit: 1_000, cursor: nextCursor! });
    }
    // A list of 1,000 takes about 96 KB.
    const { lists } = (await registry.stats()).resultCache!;
    expect(lists).toBeGreaterThan(60);
    expect(lists).toBeLessThan(90);
    expect(expectOk(await registry.search('handles it or 99')).cache).toBe('hit');
    expect(expectOk(await registry.search('handles it or 0')).cache).toBe('miss');
  });
});
