import { SILENT_SPAN } from '@winnow/tracing';
import { expect, it } from 'vitest';
import { type ResolveContext, resolveSearches } from '../src/search/resolve-searches.ts';
import type { SearchOutcome } from '../src/search/search.ts';

const tools = ['a', 'b', 'c'].map((name) => ({ name, description: '', definition: {} }));

function contextWith(outcome: SearchOutcome): { context: ResolveContext; queries: string[] } {
  const queries: string[] = [];
  const context: ResolveContext = {
    search: async ({ query }) => {
      queries.push(query);
      return outcome;
    },
    searchable: { id: 'id', tools },
    hadNoMatch: false,
    isLimit: false,
    withQueryText: false,
    requestId: 'exchange-1',
    span: SILENT_SPAN,
    now: () => 0,
    signal: new AbortController().signal,
  };
  return { context, queries };
}

const searchFor = (query: string, number = 0) => ({ id: `call-${number}`, name: 'search', query });

it('loads nothing if nothing matches, even if names are given', async () => {
  const { context } = contextWith({ ok: true, names: ['a'], isNoMatch: true });
  const resolution = await resolveSearches([searchFor('x')], context);
  expect(resolution).toMatchObject({ found: [], isRestored: false, isNoMatch: true });
  expect(resolution.results).toEqual([{ callId: 'call-0', kind: 'no_match', tools: [] }]);
  expect(resolution.records).toMatchObject([{ outcome: 'no_match', names: [] }]);
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
