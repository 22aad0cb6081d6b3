import { describe, expect, test } from 'vitest';
import { describeQuery } from '../src/search/resolve-searches.ts';

describe('a query in a record', () => {
  test('has no text', () => {
    expect(describeQuery('weather', false)).toEqual({});
  });

  test('has its text if the operator wants it', () => {
    expect(describeQuery('weather', true)).toMatchObject({ queryText: 'weather' });
  });

  test('is cut if it is very long', () => {
    const { queryText } = describeQuery('x'.repeat(5_000), true);
    expect(queryText).toBe('x'.repeat(1_000));
  });
});
