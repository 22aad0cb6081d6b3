import { expect, test } from 'vitest';
import { registryMarks } from '../../src/registry/marks.ts';
import type { StoreTimes } from '../../src/registry/run.ts';

const times = { count: 10, mean: 1, min: 1, p50: 1.5, p95: 100, p99: 19, max: 200 };

const SQLITE: StoreTimes = {
  store: 'sqlite',
  tools: 20_000,
  searches: times,
  changes: times,
  wantedPerSecond: 100,
  changesPerSecond: 99.5,
  registerMs: 4_000,
  startMs: [1_200, 1_900],
  visibleMs: [],
  peakBytes: undefined,
  indexBytes: 0,
};
const POSTGRES: StoreTimes = { ...SQLITE, store: 'postgres', tools: 200_000, visibleMs: [100, 5_900] };

const metOf = (stores: readonly StoreTimes[]) =>
  registryMarks({ stores, stalls: [] }).map(({ isMet }) => isMet);

test('meets every mark with figures on the right side of it', () => {
  expect(metOf([SQLITE, POSTGRES])).toEqual([true, true, true, true, true, true, true, true]);
});

test.each([
  [{ ...SQLITE, searches: { ...times, p50: 2.1 } }, [false, true, true, true, true]],
  [{ ...SQLITE, searches: { ...times, p99: 21 } }, [true, false, true, true, true]],
  [{ ...SQLITE, changesPerSecond: 60 }, [true, true, false, true, true]],
  [{ ...SQLITE, registerMs: 5_100 }, [true, true, true, false, true]],
  [{ ...SQLITE, startMs: [100, 2_100] }, [true, true, true, true, false]],
  [{ ...POSTGRES, searches: { ...times, p95: 151 } }, [false, true, true]],
  [{ ...POSTGRES, changesPerSecond: 0 }, [true, false, true]],
  [{ ...POSTGRES, visibleMs: [10, 6_100] }, [true, true, false]],
])('a figure on its wrong side is told: %#', (stores, met) => {
  expect(metOf([stores])).toEqual(met);
});

test('has no marks for parts that were not measured', () => {
  expect(registryMarks({ stores: [{ ...SQLITE, store: 'memory', startMs: [] }], stalls: [] }).length).toBe(4);
});

test('tells a registration that stalls the event loop', () => {
  const stalls = [299, 301].map((longestMs) => ({ title: 'a text', longestMs }));
  expect(registryMarks({ stores: [], stalls }).map(({ isMet }) => isMet)).toEqual([true, false]);
});
