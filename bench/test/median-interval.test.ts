import { expect, test } from 'vitest';
import { medianInterval } from '../src/median-interval.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => count - at);

// Positions of the bounds from both ends, from tables of 95 % confidence intervals for the median.
test.each([
  [6, 1, 6],
  [8, 1, 8],
  [9, 2, 8],
  [11, 2, 10],
  [12, 3, 10],
  [15, 4, 12],
  [20, 6, 15],
])('of %i measurements, the true median lies between places %i and %i', (count, low, high) => {
  expect(medianInterval(upTo(count))).toEqual({ median: (count + 1) / 2, low, high });
});

test('uses the extremes as bounds for few measurements', () => {
  expect(medianInterval([3])).toEqual({ median: 3, low: 3, high: 3 });
  expect(medianInterval([5, 1, 2])).toEqual({ median: 2, low: 1, high: 5 });
});

test('keeps the median and the bounds of nine despite one outlier', () => {
  expect(medianInterval([1, 2, 3, 4, 5, 6, 7, 8, 9_000])).toEqual({ median: 5, low: 2, high: 8 });
});

test('throws for an empty list', () => {
  expect(() => medianInterval([])).toThrow(RangeError);
});
