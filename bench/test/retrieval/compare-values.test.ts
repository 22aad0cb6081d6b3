import { expect, test } from 'vitest';
import { compareValues } from '../../src/retrieval/compare-values.ts';

test('counts better, worse and equal over the queries that both runs have', () => {
  const before = { a: 0, b: 1, c: 0.5, gone: 1 };
  const after = { a: 1, b: 0.5, c: 0.5, new: 0 };
  expect(compareValues(before, after)).toMatchObject({
    queries: 3,
    better: 1,
    worse: 1,
    equal: 1,
    difference: (1 - 0.5) / 3,
  });
});

test('gives an interval that leaves out zero for a steady gain and holds it for a mixed one', () => {
  const ids = Array.from({ length: 100 }, (_, position) => `q${position}`);
  const values = (of: (position: number) => number) =>
    Object.fromEntries(ids.map((id, position) => [id, of(position)]));
  const before = values(() => 0.5);

  const gain = compareValues(
    before,
    values((position) => (position % 3 === 0 ? 0.5 : 0.6)),
  );
  expect(gain.low).toBeGreaterThan(0);
  expect(gain.low).toBeLessThan(gain.difference);
  expect(gain.high).toBeGreaterThan(gain.difference);

  const mixed = compareValues(
    before,
    values((position) => (position % 2 === 0 ? 0.4 : 0.6)),
  );
  expect(mixed.low).toBeLessThan(0);
  expect(mixed.high).toBeGreaterThan(0);
});

test('gives the same interval every time', () => {
  const before = { a: 0, b: 1, c: 0.5 };
  const after = { a: 1, b: 0.5, c: 0.5 };
  expect(compareValues(before, after)).toEqual(compareValues(before, after));
});

test('has nothing to say about runs without a common query', () => {
  expect(compareValues({ a: 1 }, { b: 1 })).toEqual({
    queries: 0,
    difference: 0,
    low: 0,
    high: 0,
    better: 0,
    worse: 0,
    equal: 0,
  });
});
