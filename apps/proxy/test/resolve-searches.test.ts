import { SILENT_SPAN } from '@winnow/service';
import { expect, it } from 'vitest';
import { type ResolveContext, resolveSearches } from '../src/search/resolve-searches.ts';
import type { SearchOutcome } from '../src/search/search.ts';

const tools = ['a', 'b', 'c'].map((name) => ({ name, description: '', definition: {} }));

function contextWith(outcome: SearchOutcome): { context: ResolveContext; queries: string[] } {
  const queries: string[] = [];
  const context: ResolveContext = {
    search: async (request) => {
      queries.push(...request.queries);
      return outcome;
    },
    searchable: { id: 'id', tools },
    limit: 5,
    isLimit: false,
    withQueryText: false,
    requestId: 'exchange-1',
    span: SILENT_SPAN,
    now: () => 0,
    signal: new AbortController().signal,
  };
  return { context, queries };
}

const searchFor = (query: string, number = 0) => ({
  id: `call-${number}`,
  name: 'search',
  queries: query === '' ? [] : [query],
});

it('loads nothing if nothing matches, even if names are given', async () => {
  const { context } = contextWith({ ok: true, names: ['a'], isNoMatch: true });
  const resolution = await resolveSearches([searchFor('x')], context);
  expect(resolution).toMatchObject({ found: [], isRestored: false });
  expect(resolution.results).toEqual([{ callId: 'call-0', kind: 'no_match', tools: [] }]);
  expect(resolution.records).toMatchObject([{ outcome: 'no_match', names: [] }]);
});

it('names weak matches with the unknown words, and loads none of them', async () => {
  const outcome = {
    ok: true,
    names: ['b'],
    isNoMatch: false,
    isWeak: true,
    unknownWords: ['rocket'],
  } as const;
  const { context } = contextWith(outcome);
  const resolution = await resolveSearches([searchFor('launch rocket')], context);
  expect(resolution).toMatchObject({ found: [], isRestored: false });
  expect(resolution.results).toMatchObject([
    { kind: 'weak', tools: [{ name: 'b' }], unknownWords: ['rocket'] },
  ]);
  expect(resolution.records).toMatchObject([{ outcome: 'weak', names: [] }]);
});

it('shows nothing after any number of searches without a match, but all tools after a failure', async () => {
  const { context } = contextWith({ ok: true, names: [], isNoMatch: true });
  for (let time = 0; time < 3; time++)
    expect(await resolveSearches([searchFor('x')], context)).toMatchObject({ found: [], isRestored: false });
  const failing = contextWith({ ok: false, reason: 'api_error' }).context;
  expect(await resolveSearches([searchFor('x')], failing)).toMatchObject({ isRestored: true });
});

it('runs sixteen queries per response, and shows everything for the others', async () => {
  const { context, queries } = contextWith({ ok: true, names: ['a'], isNoMatch: false });
  const calls = Array.from({ length: 1_000 }, (_, number) => searchFor(`query ${number}`, number));
  const resolution = await resolveSearches(calls, context);
  expect(queries).toHaveLength(16);
  expect(resolution.results.map(({ kind }) => kind).filter((kind) => kind === 'found')).toHaveLength(16);
  expect(resolution.results.at(-1)).toMatchObject({ callId: 'call-999', kind: 'limit' });
  expect(resolution.isRestored).toBe(true);
  expect(resolution.records).toHaveLength(16);
});

it('resolves several queries of a call in one search, and says which found nothing and what comes next', async () => {
  const { context, queries } = contextWith({
    ...{ ok: true, names: ['a'], isNoMatch: false, next: ['c'] },
    byQuery: [
      { certainty: 'found', names: ['a'], unknownWords: [] },
      { certainty: 'weak', names: ['a', 'b'], unknownWords: [] },
      { certainty: 'none', names: [], unknownWords: ['rocket'] },
      { certainty: 'none', names: [], unknownWords: ['beyond'] },
    ],
  });
  const call = { id: 'call-0', name: 'search', queries: ['send', 'file', 'rocket'] };
  const { results, found, records } = await resolveSearches([call, { ...call, id: 'call-1' }], context);
  expect(queries).toEqual(['send', 'file', 'rocket']);
  expect(found).toEqual(['a']);
  expect(results.map(({ callId }) => callId)).toEqual(['call-0', 'call-1']);
  expect(results[0]).toMatchObject({
    kind: 'found',
    tools: [{ name: 'a' }],
    doubts: [
      { query: 'file', tools: [{ name: 'b' }], unknownWords: [] },
      { query: 'rocket', tools: [], unknownWords: ['rocket'] },
    ],
    next: ['c'],
  });
  expect(records).toMatchObject([{ outcome: 'found', names: ['a'] }]);
});

it('counts all queries of a response, so that few calls of many phrases cost no more', async () => {
  const { context, queries } = contextWith({ ok: true, names: ['a'], isNoMatch: false });
  const calls = Array.from({ length: 20 }, (_, at) => ({
    ...{ id: `call-${at}`, name: 'search' },
    queries: Array.from({ length: 16 }, (_, phrase) => `${at} ${phrase}`),
  }));
  const { results } = await resolveSearches(calls, context);
  expect(queries).toHaveLength(16);
  expect(results.filter(({ kind }) => kind === 'found')).toHaveLength(1);
});

it('finds exact names after a failure where restored tools are only named', async () => {
  const { context } = contextWith({ ok: false, reason: 'api_error' });
  const bridged = { ...context, findsExactNames: true };
  const resolution = await resolveSearches([searchFor('select:b, a, b')], bridged);
  expect(resolution).toMatchObject({ found: ['b', 'a'], isRestored: false });
  expect(resolution.results).toMatchObject([{ kind: 'found', tools: [{ name: 'b' }, { name: 'a' }] }]);
  expect(resolution.records).toMatchObject([{ outcome: 'api_error', names: ['b', 'a'] }]);
  for (const query of ['a unknown', '', 'select:'])
    expect(await resolveSearches([searchFor(query)], bridged)).toMatchObject({ found: [], isRestored: true });
});
