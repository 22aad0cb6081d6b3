import { SILENT_SPAN } from '@winnow/service';
import type { HostedQuery } from '@winnow/wire';
import { expect, test } from 'vitest';
import { resolveHosted } from '../src/search/resolve-searches.ts';
import type { SearchOutcome, SearchRequest } from '../src/search/search.ts';

const FOUND: SearchOutcome = { ok: true, names: ['a'], isNoMatch: false };

async function resolve(queries: readonly Partial<HostedQuery>[], outcome: SearchOutcome = FOUND) {
  const asked: Pick<SearchRequest, 'queries' | 'searchType' | 'limit'>[] = [];
  const resolution = await resolveHosted(
    queries.map((query, at) => ({
      call: { id: `call-${at}`, name: 'search', queries: [] },
      query: { kind: 'regex', text: 'x', mostChars: 10, limit: 5, ...query },
    })),
    {
      search: async ({ queries, searchType, limit }) => {
        asked.push({ queries, searchType: searchType!, limit: limit! });
        return outcome;
      },
      searchable: { id: 'id', tools: [{ name: 'a' }, { name: 'b' }] },
      withQueryText: false,
      requestId: 'exchange-1',
      span: SILENT_SPAN,
      now: () => 0,
      signal: new AbortController().signal,
    },
  );
  return { asked, ...resolution };
}

test("searches by the provider's interpretation of a query, equal ones of one kind once", async () => {
  const { asked, results, found } = await resolve([{}, {}, { limit: 9 }, { kind: 'words' }]);
  expect(asked).toEqual([
    { queries: ['x'], searchType: 'regex', limit: 5 },
    { queries: ['x'], searchType: 'regex', limit: 9 },
    { queries: ['x'], searchType: 'keyword', limit: 5 },
  ]);
  expect(results.map(({ callId, kind }) => [callId, kind])).toEqual(
    [0, 1, 2, 3].map((at) => [`call-${at}`, 'found']),
  );
  expect(found).toEqual(['a']);
});

test('runs no search for an invalid query, and explains its error', async () => {
  const { asked, results, records } = await resolve([
    { text: ' ' },
    { text: 'x'.repeat(11) },
    { text: '(' },
    { kind: 'words', text: '' },
    { kind: 'words', text: '(' },
  ]);
  expect(asked).toEqual([{ queries: ['('], searchType: 'keyword', limit: 5 }]);
  expect(results.map(({ kind, text, isError }) => [kind, text, isError])).toEqual([
    ['answered', 'The pattern is missing.', true],
    ['answered', 'The pattern is longer than 10 characters.', true],
    ['answered', 'Invalid regular expression pattern: Unterminated group', true],
    ['answered', 'The query is missing.', true],
    ['found', undefined, undefined],
  ]);
  expect(records.map(({ outcome }) => outcome)).toEqual(['found', ...Array(4).fill('empty_query')]);
});

test('runs sixteen searches per response, and reports that the others are too many', async () => {
  const { asked, results, isRestored } = await resolve(
    Array.from({ length: 40 }, (_, at) => ({ text: `x${at % 20}`, limit: 1 + (at % 2) })),
  );
  expect(asked).toHaveLength(16);
  expect(results.map(({ kind }) => kind)).toEqual(
    Array.from({ length: 40 }, (_, at) => (at % 20 < 16 ? 'found' : 'limit')),
  );
  expect(isRestored).toBe(false);
});

test('returns no results as often as nothing matches, and shows everything after a failed search', async () => {
  const nothing = await resolve([{}, { limit: 6 }], { ok: true, names: [], isNoMatch: true });
  expect(nothing).toMatchObject({ isRestored: false, found: [] });
  expect(nothing.results.map(({ kind }) => kind)).toEqual(['no_match', 'no_match']);
  const failed = await resolve([{}], { ok: false, reason: 'api_error' });
  expect(failed).toMatchObject({ isRestored: true, results: [{ kind: 'restored' }] });
});
