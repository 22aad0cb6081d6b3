import { expect, test } from 'vitest';
import { matchScore } from '../../src/catalogue/tool-catalogue.ts';

test('scores run from 0 to 100 with one decimal, and grow with what is covered', () => {
  expect(matchScore(0)).toBe(0);
  expect(matchScore(1)).toBe(100);
  expect([0.01, 0.054, 0.1, 0.25, 0.5].map(matchScore)).toEqual([19.1, 35, 43.7, 60.7, 77.9]);
});
