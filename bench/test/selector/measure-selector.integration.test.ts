import { expect, test } from 'vitest';
import { ownCheckout } from '../../src/checkout.ts';
import { measureSelector } from '../../src/selector/measure-selector.ts';
import { selectorTables } from '../../src/selector/tables.ts';

test('measures a selector of its own from start to stop', async () => {
  const once = { seconds: 1, fewest: 1, most: 1 };
  const plan = {
    sizes: [20],
    rankerSizes: [20],
    effort: once,
    load: { coldTools: 20, coldRequests: 9, warmTools: 30, warmRequests: 9 },
    stall: { tools: 200, rounds: 2 },
  };
  const measurements = await measureSelector(plan, {
    baseline: { ...ownCheckout(), name: 'baseline' },
    report: () => {},
  });

  const [requests] = measurements.requests;
  expect(requests).toMatchObject({
    size: 20,
    jsonParse: { count: 1 },
    winnow: { cold: { count: 1 }, warm: { count: 5 }, changed: { count: 5 } },
    baseline: { cold: { count: 1 }, catalogId: { count: 5 } },
  });
  expect(requests?.winnow.catalogId.p50).toBeGreaterThan(0);
  expect(measurements.rankers.map(({ ranker }) => ranker)).toEqual([
    'bm25',
    'wink',
    'wink-helper',
    'minisearch',
  ]);
  expect(measurements.load.map(({ what, selector, times }) => [what, selector, times.count])).toEqual([
    ['cold', 'winnow', 9],
    ['cold', 'baseline', 9],
    ['warm, tools inline', 'winnow', 9],
    ['warm, catalog_id', 'winnow', 9],
  ]);
  expect(measurements.receiving).toMatchObject({ what: 'inline, only received', times: { count: 9 } });
  expect(measurements.stall.longest).toHaveLength(2);
  expect(measurements.stall.answers).toBeGreaterThanOrEqual(2);

  const run = {
    ...measurements,
    date: '2026-01-01T00:00:00Z',
    machine: {} as never,
    versions: {},
    marks: [],
  };
  for (const { header, rows } of selectorTables(run)) {
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
});
