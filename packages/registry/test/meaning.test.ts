import type { MeaningGap } from '@winnow/core';
import { toInt8Vector } from '@winnow/ranking';
import { describe, expect, test } from 'vitest';
import type { Registration, SearchOptions } from '../src/index.ts';
import type { ToolMeanings } from '../src/search/built-in-searcher.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

/** Directions by what a text is about. */
const MEANINGS: readonly [RegExp, readonly number[]][] = [
  [/transfer|pay/i, [1, 0.1]],
  [/wire/i, [1, 0.4]],
  [/river/i, [0, 1]],
];

const vectorOf = (text: string) => {
  const numbers = MEANINGS.find(([about]) => about.test(text))?.[1];
  return numbers && toInt8Vector(numbers);
};

/** Meanings that know what they have learnt, and nothing at all when they fail. */
function meaningsUnderTest() {
  const learnt: string[] = [];
  const state = { isFailing: false, searched: [] as (string | undefined)[] };
  const meanings: ToolMeanings = {
    learn(_, { count, textOf }) {
      for (let at = 0; at < count; at++) learnt.push(textOf(at)!);
    },
    search({ count, textOf }) {
      state.searched = Array.from({ length: count }, (_, position) => textOf(position));
      let degraded: MeaningGap | undefined;
      const toolVector = (position: number) => {
        const text = textOf(position);
        const vector = text !== undefined && learnt.includes(text) ? vectorOf(text) : undefined;
        if (vector === undefined) degraded ??= 'missing_vectors';
        return vector;
      };
      const queryVector = (query: string) => {
        const vector = state.isFailing ? undefined : vectorOf(query);
        if (vector === undefined) degraded ??= 'failed';
        return vector;
      };
      return {
        get degraded() {
          return degraded;
        },
        async vectorsOf(query, positions) {
          const vector = queryVector(query);
          return vector && { query: vector, tools: positions.map(toolVector) };
        },
        async nearest(query, { most, has }) {
          const asked = queryVector(query);
          if (asked === undefined) return undefined;
          const product = (vector: Int8Array) => vector.reduce((sum, one, at) => sum + one * asked[at]!, 0);
          const length = (vector: Int8Array) => Math.hypot(...vector);
          return Array.from({ length: count }, (_, position) => position)
            .filter(has)
            .flatMap((position) => {
              const vector = toolVector(position);
              return vector ? { position, cosine: product(vector) / length(vector) / length(asked) } : [];
            })
            .sort((one, other) => other.cosine - one.cosine)
            .slice(0, most);
        },
      };
    },
  };
  return { meanings, learnt, state };
}

const TOOLS = [
  registration('bank_holidays', { tool: { description: 'Bank of the river: bank holidays.' } }),
  registration('bank_transfer', { tool: { description: 'Makes a transfer at any bank in the country.' } }),
  registration('wire_money', { tool: { description: 'Sends funds by wire.' } }),
];
const QUERY = 'pay at the bank';

async function open(tools: readonly Registration[] = TOOLS) {
  const { meanings, learnt, state } = meaningsUnderTest();
  const registry = await makeRegistry({ meanings });
  expectOk(await registry.register(tools));
  const search = async (query = QUERY, options: SearchOptions = {}) => {
    const page = expectOk(await registry.search(query, options));
    return { ...page, names: page.tools.map(({ name }) => name) };
  };
  return { registry, search, learnt, state };
}

describe('with a model', () => {
  test('R73: hybrid and auto order the best by keywords by meaning too', async () => {
    const { search } = await open();
    const byWords = (await search(QUERY, { searchType: 'keyword' })).names;
    expect(byWords).toEqual(['bank_holidays', 'bank_transfer']);
    for (const searchType of ['auto', 'hybrid'] as const) {
      const { names, totalMatches, degraded } = await search(QUERY, { searchType });
      expect(names).toEqual(['bank_transfer', 'bank_holidays']);
      expect([totalMatches, degraded]).toEqual([2, undefined]);
    }
  });

  test('R73: semantic orders by meaning what words and meaning find, within what may be found', async () => {
    const { search } = await open();
    const { tools, names, totalMatches } = await search(QUERY, { searchType: 'semantic' });
    expect(names).toEqual(['bank_transfer', 'wire_money', 'bank_holidays']);
    expect(tools[1]!.matchedOn).toEqual(['meaning']);
    expect(totalMatches).toBe(3);
    const first = await search(QUERY, { searchType: 'semantic', pageSize: 1 });
    expect(first.names).toEqual(['bank_transfer']);
    const next = await search(QUERY, { searchType: 'semantic', pageSize: 2, cursor: first.nextCursor! });
    expect(next.names).toEqual(['wire_money', 'bank_holidays']);
    expect(next.cache).toBe('hit');
  });

  test('R40: a response names the type that ranked and the one that was asked for', async () => {
    const { search } = await open();
    const told = async (query: string, searchType: SearchOptions['searchType']) => {
      const page = await search(query, { searchType: searchType! });
      return [page.requestedSearchType, page.searchType];
    };
    expect(await told(QUERY, 'semantic')).toEqual(['semantic', 'semantic']);
    expect(await told(QUERY, 'hybrid')).toEqual(['hybrid', 'hybrid']);
    expect(await told(QUERY, 'auto')).toEqual(['auto', 'hybrid']);
    expect(await told('bank zzqx', 'semantic')).toEqual(['semantic', 'keyword']);
  });

  test('R45: vectors of tools are asked for when they are registered, and when the registry starts', async () => {
    const { learnt, registry } = await open();
    expect(learnt).toHaveLength(3);
    expect(learnt).toContain('wire money: Sends funds by wire.');
    expectOk(await registry.register([registration('one_more')]));
    expect(learnt.slice(3)).toEqual(['one more: Handles one_more.']);
  });

  test('R45: nothing is asked of a tool that was removed', async () => {
    const more = Array.from({ length: 20 }, (_, n) => registration(`more_${n}`));
    const { registry, search, state } = await open([...TOOLS, ...more]);
    await search();
    expect(state.searched).toContain('wire money: Sends funds by wire.');
    expectOk(await registry.unregister('wire_money'));
    await search();
    expect(state.searched).toContain('bank holidays: Bank of the river: bank holidays.');
    expect(state.searched).not.toContain('wire money: Sends funds by wire.');
  });

  test('R74: a tool without a vector is found by its words, and the answer is not kept', async () => {
    const { search, learnt } = await open();
    learnt.length = 0;
    const without = await search(QUERY, { searchType: 'hybrid', pageSize: 1 });
    expect(without.names).toEqual(['bank_holidays']);
    expect(without.degraded).toEqual({ searcher: 'meaning', reason: 'missing_vectors' });
    expect(without.nextCursor).toBeUndefined();
    learnt.push('bank holidays: Bank of the river: bank holidays.');
    learnt.push('bank transfer: Makes a transfer at any bank in the country.');
    learnt.push('wire money: Sends funds by wire.');
    const whole = await search(QUERY, { searchType: 'hybrid', pageSize: 1 });
    expect([whole.names, whole.cache, whole.degraded]).toEqual([['bank_transfer'], 'miss', undefined]);
    expect(whole.nextCursor).toBeDefined();
    expect((await search(QUERY, { searchType: 'hybrid', pageSize: 1 })).cache).toBe('hit');
  });

  test('R26: a search whose embedder fails is answered by keywords, and says so', async () => {
    const { search, state } = await open();
    state.isFailing = true;
    for (const searchType of ['auto', 'hybrid', 'semantic'] as const) {
      const page = await search(QUERY, { searchType });
      expect(page.names).toEqual(['bank_holidays', 'bank_transfer']);
      expect([page.searchType, page.degraded]).toEqual([
        'keyword',
        { searcher: 'meaning', reason: 'failed' },
      ]);
    }
    expect((await search(QUERY, { searchType: 'keyword' })).degraded).toBeUndefined();
  });
});

test('R40: without a model, what asks for meaning is answered by keywords', async () => {
  const registry = await makeRegistry();
  expectOk(await registry.register(TOOLS));
  const page = expectOk(await registry.search(QUERY, { searchType: 'semantic' }));
  expect([page.searchType, page.requestedSearchType]).toEqual(['keyword', 'semantic']);
  expect(page.degraded).toBeUndefined();
});
