import { readTool } from '@winnow/ranking';
import { expect, it } from 'vitest';
import { type CacheLimits, Catalogues } from '../src/catalogues.ts';

const roomFor = (limits: Partial<CacheLimits>) => {
  let builds = 0;
  const catalogues = new Catalogues({
    ...{ maxBytes: 1_000_000_000, maxCatalogues: 100, ...limits },
    ...{ pause: () => Promise.resolve(), onBuilt: () => builds++ },
  });
  return { catalogues, find: findIn(catalogues), builds: () => builds };
};

const findIn =
  (catalogues: Catalogues) =>
  (name: string, description = '', more: object = {}) => {
    const sent = [{ name, description, ...more }];
    const tools = sent.map((one) => {
      const reading = readTool(one);
      if (!reading.ok) throw new Error(reading.message);
      return reading.tool;
    });
    return catalogues.find(tools, sent);
  };

it('finds the catalogue of equal tools, and builds that of others', async () => {
  const { find, builds } = roomFor({});
  const first = await find('a');
  expect(first.index).toBe('built');
  expect(await find('a')).toMatchObject({ index: 'cached', hash: first.hash });
  expect((await find('a')).cached).toBe(first.cached);
  expect((await find('a', '', { vector: [0, 1] })).cached).not.toBe(first.cached);
  expect(builds()).toBe(2);
});

it('builds equal tools that arrive together once', async () => {
  const { catalogues, find, builds } = roomFor({});
  const [first, second] = await Promise.all([find('a'), find('a')]);
  expect(first.cached).toBe(second.cached);
  expect(builds()).toBe(1);
  expect(catalogues.size).toBe(1);
});

it('evicts the least recently used catalogue', async () => {
  const { catalogues, find } = roomFor({ maxCatalogues: 2 });
  for (const name of ['first', 'second', 'first', 'third']) await find(name);
  expect(catalogues.evictions).toBe(1);
  expect((await find('first')).index).toBe('cached');
  expect((await find('second')).index).toBe('built');
});

it('counts the bytes of index and vectors, and evicts until they fit', async () => {
  const { cached } = await roomFor({}).find('a', 'x'.repeat(8_000));
  const { catalogues, find } = roomFor({ maxBytes: 2 * (cached.catalogue.bytes + 1_024) });
  for (const letter of ['a', 'b', 'c']) await find(letter, 'x'.repeat(8_000));
  expect(catalogues.size).toBe(2);
  expect(catalogues.bytes).toBe(2 * (cached.catalogue.bytes + 1_024));
  await find('a', 'x'.repeat(8_000), { vector: Array.from({ length: 4_000 }, () => 1) });
  expect(catalogues.size).toBe(1);
});

it('does not keep a catalogue larger than the cache, and keeps the others', async () => {
  const { cached } = await roomFor({}).find('a');
  const { catalogues, find } = roomFor({ maxBytes: cached.catalogue.bytes + 3_000 });
  await find('small');
  const large = await find('large', 'x'.repeat(8_000));
  catalogues.bind({ scope: '', id: 'large' }, large.hash);
  expect((await find('small')).index).toBe('cached');
  expect(catalogues.findById({ scope: '', id: 'large' })).toBeUndefined();
});

it('keeps nothing when there is room for no catalogue', async () => {
  const { catalogues, find } = roomFor({ maxCatalogues: 0 });
  await find('a');
  expect(catalogues.size).toBe(0);
});

it('forgets the ids of an evicted catalogue', async () => {
  const { catalogues, find } = roomFor({ maxCatalogues: 1 });
  catalogues.bind({ scope: 's', id: 'x' }, (await find('first')).hash);
  await find('second');
  expect(catalogues.findById({ scope: 's', id: 'x' })).toBeUndefined();
});

it('lets an id name another catalogue, also after the first one went', async () => {
  const { catalogues, find } = roomFor({ maxCatalogues: 2 });
  const id = { scope: '', id: 'x' };
  catalogues.bind(id, (await find('first')).hash);
  const second = await find('second');
  catalogues.bind(id, second.hash);
  await find('third');
  expect(catalogues.findById(id)).toBe(second.cached);
});

it('keeps ids of different scopes apart, and does not collect them without end', async () => {
  const { catalogues, find } = roomFor({ maxCatalogues: 1 });
  const { hash, cached } = await find('only');
  for (let number = 0; number < 17; number++) catalogues.bind({ scope: '', id: `id-${number}` }, hash);
  expect(catalogues.findById({ scope: 'b', id: 'id-16' })).toBeUndefined();
  expect(catalogues.findById({ scope: '', id: 'id-0' })).toBeUndefined();
  expect(catalogues.findById({ scope: '', id: 'id-1' })).toBe(cached);
  expect(catalogues.findById({ scope: '', id: 'id-16' })).toBe(cached);
});
