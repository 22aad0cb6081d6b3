import type { SearchRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { describeSearch } from '../examples/demo/narrator.ts';

const search = { names: [], ms: 1 };

test.each<[SearchRecord, string]>([
  [{ ...search, outcome: 'found', names: ['a', 'b'] }, 'found a, b'],
  [{ ...search, outcome: 'no_match' }, 'found nothing that matches'],
  [{ ...search, outcome: 'api_timeout' }, 'the search failed (api_timeout): it was shown everything'],
  [{ ...search, outcome: 'limit' }, 'was shown everything: it had searched often enough'],
])('the demo tells a search that failed from one that found nothing: %o', (record, words) => {
  expect(describeSearch(record)).toBe(words);
});
