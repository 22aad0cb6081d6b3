import { expect, test } from 'vitest';
import { growth } from '../../src/proxy/growth.ts';

test('gives the slope of points on a line, whatever their order', () => {
  expect(
    growth([
      [3_000, 16],
      [1_000, 12],
      [2_000, 14],
    ]),
  ).toBeCloseTo(0.002, 12);
});

test('evens out what goes up and down', () => {
  expect(
    growth([
      [1, 5],
      [2, 9],
      [3, 9],
      [4, 5],
    ]),
  ).toBeCloseTo(0, 12);
});

test('is zero where nothing can be told', () => {
  expect(growth([])).toBe(0);
  expect(growth([[1, 100]])).toBe(0);
});
