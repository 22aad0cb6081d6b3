import { describe, expect, test } from 'vitest';
import { describeQuery } from '../src/search/resolve-searches.ts';

describe('a query in a record', () => {
  test('has its length and the beginning of its SHA-256', () => {
    // `printf weather | sha256sum`
    expect(describeQuery('weather', false)).toEqual({ queryChars: 7 });
  });

  test('has its text if the operator wants it', () => {
    expect(describeQuery('weather', true)).toMatchObject({ queryText: 'weather' });
  });

  test('is cut if it is very long', () => {
    const { queryChars, queryText } = describeQuery('x'.repeat(5_000), true);
    expect([queryChars, queryText]).toEqual([5_000, 'x'.repeat(1_000)]);
  });
});
