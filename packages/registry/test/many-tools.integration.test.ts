import { expect, test } from 'vitest';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

test('R71: equal names in 20,000 namespaces are in order of id, and R10: there are no more', async () => {
  const registry = await makeRegistry({ limits: { tools: 20_000 } });
  for (let start = 0; start < 20_000; start += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, n) =>
      registration('same', { namespace: `n${start + n}` }),
    );
    expectOk(await registry.register(batch));
  }
  const { tools, totalMatches } = expectOk(await registry.search('same', { pageSize: 100 }));
  expect(totalMatches).toBe(20_000);
  const ids = tools.map((tool) => tool.id);
  expect(ids).toEqual(ids.toSorted());
  expect(ids[0]).toBe('n0:same');
  // And that is as many as a scope may have.
  expect(await registry.register([registration('one_more')])).toMatchObject({ code: 'limit_exceeded' });
});

test('R35: at least 10,000 events and at least 50 changes are kept, and what is forgotten is said', async () => {
  const registry = await makeRegistry();
  const batch = Array.from({ length: 250 }, (_, n) => registration(`t${n}`));
  for (let round = 0; round < 60; round++) {
    expectOk(await registry.register(batch.map((one) => ({ ...one, version: String(round) }))));
  }
  // Of 60 changes the first 10 are gone: 50 changes reach further back than 10,000 events.
  expect(registry.changesSince({ version: 9, index: 249 })).toMatchObject({ code: 'stale_cursor' });
  expect(registry.changesSince({ version: 10, index: 5 })).toMatchObject({ code: 'stale_cursor' });
  const kept = expectOk(registry.changesSince({ version: 10, index: Number.POSITIVE_INFINITY }));
  expect(kept.events.length).toBe(12_500);

  for (let n = 0; n < 9_999; n++) await registry.register([registration('t0', { version: `v${n}` })]);
  expect(registry.changesSince({ version: 59, index: 0 })).toMatchObject({ code: 'stale_cursor' });
  expectOk(registry.changesSince({ version: 60, index: 0 }));
});
