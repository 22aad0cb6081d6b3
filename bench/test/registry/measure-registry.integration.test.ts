/**
 * @module-tag postgres
 */
import { expect, test } from 'vitest';
import { measureRegistry } from '../../src/registry/measure-registry.ts';

test('measures what it says: all tools registered, searches and changes answered, a full store started from', async () => {
  const { stores, stalls } = await measureRegistry(
    {
      stores: ['memory', 'sqlite', 'postgres'],
      tools: 1_200,
      manyTools: 300,
      changesPerSecond: 50,
      manyChangesPerSecond: 20,
      seconds: 1,
      visible: 2,
      starts: 1,
      stalls: 1,
    },
    { report: () => {} },
  );
  expect(stores.map(({ store, tools }) => [store, tools])).toEqual([
    ['memory', 1_200],
    ['sqlite', 1_200],
    ['postgres', 300],
  ]);
  for (const { searches, changes, registerMs, indexBytes } of stores) {
    expect(searches.count).toBeGreaterThan(0);
    expect(changes.count).toBeGreaterThan(0);
    expect(registerMs).toBeGreaterThan(0);
    expect(indexBytes).toBeGreaterThan(1_000);
  }
  expect(stalls.map(({ longestMs }) => longestMs > 0)).toEqual([true, true, true, true]);
  const [memory, sqlite, postgres] = stores;
  expect(memory!.startMs).toEqual([]);
  expect(sqlite!.startMs.length).toBe(1);
  expect(postgres!.visibleMs.length).toBe(2);
  // Each commit waits for 5 ms; in memory there is none.
  expect(sqlite!.changes.min).toBeGreaterThan(5);
}, 120_000);
