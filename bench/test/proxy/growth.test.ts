import { expect, test } from 'vitest';
import { growth } from '../../src/proxy/growth.ts';

test('returns the slope of points on a line, in any order', () => {
  expect(
    growth([
      [3_000, 16],
      [1_000, 12],
      [2_000, 14],
    ]),
  ).toBeCloseTo(0.002, 12);
});

test('averages out ups and downs', () => {
  expect(
    growth([
      [1, 5],
      [2, 9],
      [3, 9],
      [4, 5],
    ]),
  ).toBeCloseTo(0, 12);
});

test('is zero without two different x', () => {
  expect(growth([])).toBe(0);
  expect(growth([[1, 100]])).toBe(0);
});
