import { expect, test } from 'vitest';
import { readableJson } from '../../../src/index.ts';

test('removes what cannot be seen from every text, and leaves member names and compared values', () => {
  const value = { 'k\u202e': ['a\u202e', { deep: 'b\u0007', enum: ['c\u202e'] }], n: 1, none: null };
  expect(readableJson(value)).toEqual({
    'k\u202e': ['a', { deep: 'b', enum: ['c\u202e'] }],
    n: 1,
    none: null,
  });
});
