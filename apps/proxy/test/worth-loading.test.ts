import { SILENT_SPAN } from '@winnow/service';
import { describe, expect, it } from 'vitest';
import { leanSearch, type SearchOutcome } from '../src/search/search.ts';
import { typicalSizeOf, worthLoading } from '../src/strategies/worth-loading.ts';

/** Matches a, b, c, … with these scores, of typical size. */
const scored = (...scores: number[]) =>
  scores.map((score, place) => ({ name: String.fromCharCode(97 + place), score, size: 100 }));

const named = (candidates: ReturnType<typeof scored>, most = 8) =>
  worthLoading(candidates, { most, typicalSize: 100 }).join('');

describe('the tools that are worth loading', () => {
  it('are many where scores are flat, and few where they fall, but three at least', () => {
    expect(named(scored(1, 0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.7, 0.7, 0.7))).toBe('abcdefgh');
    expect(named(scored(1, 0.3, 0.2, 0.2, 0.1))).toBe('abc');
    expect(named(scored(1, 0.6, 0.5, 0.39, 0.37, 0.3))).toBe('abcd');
    expect(named(scored(1, 0.9, 0.8), 2)).toBe('ab');
    expect(named([])).toBe('');
  });

  it('pass a large definition over for a small one after it', () => {
    const candidates = scored(1, 0.6, 0.6, 0.5, 0.45, 0.2);
    const sized = candidates.map((one, place) => ({ ...one, size: [100, 100, 100, 400, 100, 10][place]! }));
    expect(named(sized)).toBe('abcef');
  });

  it('are sure to be the best three, whatever their size', () => {
    expect(named(scored(1, 0.2, 0.1).map((one) => ({ ...one, size: 100_000 })))).toBe('abc');
  });

  it('are sure to be those that several queries need, and leave their room to no other', () => {
    const sure = ['b', 'f'];
    expect(
      worthLoading(scored(1, 0.5, 0.4, 0.3, 0.2, 0.1), { most: 8, typicalSize: 100, sure }).join(''),
    ).toBe('abcf');
    expect(
      worthLoading(scored(1, 0.9, 0.9, 0.9, 0.9, 0.1), { most: 3, typicalSize: 100, sure }).join(''),
    ).toBe('abf');
  });

  it('are measured by the median size', () => {
    expect(typicalSizeOf([5, 1_000_000, 3])).toBe(5);
    expect(typicalSizeOf([])).toBe(1);
  });
});

describe('a lean search', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const tools = names.map((name) => ({ name, description: '', definition: {} }));
  const sizes = new Map(names.map((name) => [name, name === 'd' ? 900 : 100]));
  const ask = async (outcome: SearchOutcome, withSizes = true) => {
    const asked: number[] = [];
    const search = leanSearch(async ({ limit }) => {
      asked.push(limit);
      return outcome;
    });
    const found = await search({
      queries: ['x'],
      searchable: { id: 'x', tools, ...(withSizes && { sizes }) },
      limit: 5,
      requestId: 'x',
      span: SILENT_SPAN,
      signal: new AbortController().signal,
    });
    return { found, asked };
  };

  it('looks at more matches than it finds', async () => {
    const scores = [1, 0.9, 0.8, 0.6, 0.5, 0.4];
    expect(await ask({ ok: true, names, scores, isNoMatch: false })).toEqual({
      found: { ok: true, names: ['a', 'b', 'c', 'e', 'f'], isNoMatch: false, next: ['d'] },
      asked: [22],
    });
  });

  it('may find half as many more for several queries, the best of each among them, and names a dozen more', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `t${at}`);
    const scores = many.map((_, at) => 1 - at / 100);
    const asked: number[] = [];
    const search = leanSearch(async ({ limit }) => {
      asked.push(limit);
      return {
        ...{ ok: true, isNoMatch: false, names: many.slice(0, limit), scores: scores.slice(0, limit) },
        byQuery: [
          { certainty: 'found', names: ['t0', 't13', 't5'], unknownWords: [] },
          { certainty: 'weak', names: ['t14'], unknownWords: [] },
        ],
      };
    });
    const found = await search({
      queries: ['x', 'y'],
      searchable: {
        id: 'x',
        tools: many.map((name) => ({ name })),
        sizes: new Map(many.map((name) => [name, 100])),
      },
      ...{ limit: 8, requestId: 'x', span: SILENT_SPAN, signal: new AbortController().signal },
    });
    expect(asked).toEqual([36]);
    expect(found).toMatchObject({
      names: [...many.slice(0, 11), 't13'],
      next: ['t11', 't12', ...many.slice(14, 24)],
    });
  });

  it('keeps to its limit where a selector gives no scores, and for weak matches', async () => {
    for (const outcome of [
      { ok: true, names, isNoMatch: false },
      { ok: true, names, scores: [1, 0, 0, 0, 0, 0], isNoMatch: false, isWeak: true },
    ] as const) {
      expect((await ask(outcome)).found).toMatchObject({ names: ['a', 'b', 'c', 'd', 'e'] });
    }
  });

  it('finds what is asked for where the client loads the tools', async () => {
    const scores = [1, 0.2, 0.2, 0.1, 0.1];
    const outcome = { ok: true, names: names.slice(0, 5), scores, isNoMatch: false } as const;
    expect(await ask(outcome, false)).toEqual({ found: outcome, asked: [5] });
  });

  it('passes a failure on', async () => {
    const failure = { ok: false, reason: 'api_error' } as const;
    expect((await ask(failure)).found).toEqual(failure);
  });
});
