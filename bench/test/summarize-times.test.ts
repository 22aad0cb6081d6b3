import { expect, test } from 'vitest';
import { median, summarizeTimes } from '../src/summarize-times.ts';

test('takes percentiles by nearest rank, whatever the order', () => {
  const times = Array.from({ length: 100 }, (_, position) => 100 - position);
  expect(summarizeTimes(times)).toEqual({
    count: 100,
    mean: 50.5,
    min: 1,
    p50: 50,
    p95: 95,
    p99: 99,
    max: 100,
  });
});

test('gives the only value for every percentile of one, and zero for none', () => {
  expect(summarizeTimes([7])).toEqual({ count: 1, mean: 7, min: 7, p50: 7, p95: 7, p99: 7, max: 7 });
  expect(summarizeTimes([])).toEqual({ count: 0, mean: 0, min: 0, p50: 0, p95: 0, p99: 0, max: 0 });
});

test('takes the middle of three', () => {
  expect(median([30, 10, 20])).toBe(20);
});
