import { expect, test } from 'vitest';
import { compareWays } from '../../src/proxy/compare-ways.ts';

const TENTHS = Array.from({ length: 10 }, (_, tenth) => tenth);

test('compares tenth by tenth, so that a slower machine affects both', () => {
  const slowing = TENTHS.flatMap((tenth) => [tenth, tenth, tenth]);
  const later = slowing.map((time) => time + 0.5);
  expect(compareWays(later, slowing)).toEqual({ differenceMs: 0.5, spreadMs: 0.5 });
});

test('reports the largest difference in any tenth, in either direction', () => {
  const even = TENTHS.map(() => 1);
  const once = TENTHS.map((tenth) => (tenth === 3 ? 0.2 : 1));
  expect(compareWays(once, even)).toEqual({ differenceMs: 0, spreadMs: 0.8 });
});
