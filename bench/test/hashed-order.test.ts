import { expect, test } from 'vitest';
import { hashedOrder } from '../src/hashed-order.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const names = ['alpha', 'beta', 'delta', 'gamma', 'omega'];

test('depends on the names alone, not on the order they come in', () => {
  expect(hashedOrder(named(...names))).toEqual(hashedOrder(named(...names.toReversed())));
});

test('is neither the order of the alphabet nor a different one each time', () => {
  // Pinned: a changed salt or hash would make runs incomparable.
  expect(hashedOrder(named(...names)).map(({ name }) => name)).toEqual([
    'alpha',
    'gamma',
    'delta',
    'omega',
    'beta',
  ]);
});
