import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import {
  cosine,
  lengthOf,
  type MeaningSource,
  nearestOf,
  toInt8Vector,
  VectorTable,
} from '../src/meaning/meaning-source.ts';
import { MAX_NUMBERS_LOOKED_AT } from '../src/meaning/rank-with-meaning.ts';
import { noPause } from '../src/ranker.ts';
import { explainTools } from '../src/search/explain-tools.ts';
import { type FindQuery, findTools } from '../src/search/find-tools.ts';

const vector = (...numbers: number[]) => toInt8Vector(numbers)!;

interface Tool {
  readonly name: string;
  readonly description: string;
  /** The tool's vector; the query's is [1, 0]. */
  readonly means?: readonly number[];
}

const BANK: readonly Tool[] = [
  { name: 'bank_transfer', description: 'Send money from a bank account.', means: [1, 0.5] },
  { name: 'bank_of_river', description: 'The bank of a river: water levels.', means: [0, 1] },
  { name: 'wire', description: 'Funds to another person.', means: [1, 0.1] },
  { name: 'cash', description: 'Notes and coins.', means: [1, 0.8] },
  { name: 'get_weather', description: 'Current weather.', means: [-1, 1] },
];

function searching(tools: readonly Tool[]) {
  const catalogue = buildCatalogue([...tools]);
  const vectorOf = (position: number) => {
    const { means } = tools[position]!;
    return means && toInt8Vector(means);
  };
  const looked: number[] = [];
  const meaning: MeaningSource = {
    vectorsOf: async (_, positions) => ({ query: vector(1, 0), tools: positions.map(vectorOf) }),
    nearest: async (_, search) => {
      looked.push(search.within!);
      return nearestOf({ query: vector(1, 0), count: tools.length, vectorOf, pause: noPause }, search);
    },
  };
  return {
    catalogue,
    meaning,
    looked,
    async find(pattern: string, more: Partial<FindQuery> = {}) {
      const query = { pattern, searchType: 'auto', limit: 20, meaning, ...more } as const;
      const found = await findTools(catalogue, query, noPause);
      return { ...found, names: found.hits.map(({ position }) => tools[position]!.name) };
    },
  };
}

describe('a search by words and meaning', () => {
  it('finds a tool that no word finds, where it means more than all that words find', async () => {
    const { find } = searching(BANK);
    const { names, hits, totalMatches } = await find('bank');
    expect(names).toEqual(['bank_transfer', 'wire', 'bank_of_river']);
    expect(hits[1]!.matchedOn).toEqual(['meaning']);
    expect(totalMatches).toBe(3);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect((await find('bank', { limit: 1 })).names).toEqual(['bank_transfer']);
  });

  it('adds nothing that means less than what words find, or that means nothing', async () => {
    const near = BANK.map((tool) => (tool.name === 'bank_transfer' ? { ...tool, means: [1, 0] } : tool));
    expect((await searching(near).find('bank')).names).toEqual(['bank_transfer', 'bank_of_river']);
    const far = BANK.map((tool) => ({ ...tool, means: tool.name === 'wire' ? [0.2, 1] : [-1, 1] }));
    expect((await searching(far).find('bank')).names).toEqual(['bank_transfer', 'bank_of_river']);
  });

  it('finds nothing where words find nothing, and says so', async () => {
    expect(await searching(BANK).find('zzqx')).toMatchObject({ names: [], totalMatches: 0 });
  });

  it('finds more for the only tool that words find', async () => {
    const { names, totalMatches } = await searching(BANK).find('holidays transfer');
    expect([names.toSorted(), totalMatches]).toEqual([['bank_transfer', 'wire'], 2]);
  });

  it('shows no tool that is excluded, and never moves exact names', async () => {
    const { find } = searching(BANK);
    expect((await find('bank', { excluded: Uint8Array.of(0, 0, 1, 0, 0) })).names).not.toContain('wire');
    expect((await find('bank_of_river at the bank')).names[0]).toBe('bank_of_river');
  });

  it('looks for no tool where globs, expressions or keywords are asked for', async () => {
    const { find, looked } = searching(BANK);
    await find('bank_*');
    await find('^bank_.*');
    await find('bank', { searchType: 'regex' });
    expect(looked).toEqual([]);
    await find('bank');
    expect(looked).toEqual([MAX_NUMBERS_LOOKED_AT]);
  });

  it('goes by words until the vectors of what words find are there', async () => {
    const partly = BANK.map((tool) => (tool.name === 'wire' ? tool : { ...tool, means: undefined! }));
    expect((await searching(partly).find('bank')).names).toEqual(['bank_transfer', 'bank_of_river']);
  });

  it('explains a tool that meaning alone has found', async () => {
    const { catalogue, meaning } = searching(BANK);
    const query = { pattern: 'bank', searchType: 'auto', meaning } as const;
    const explained = await explainTools(catalogue, ['wire', 'cash'], query, noPause);
    expect(explained).toMatchObject([
      { name: 'wire', rank: 2, matched: [], missing: ['bank'] },
      { name: 'cash', rank: undefined, score: 0 },
    ]);
    expect(explained[0]!.meaning).toBeGreaterThan(0);
    expect(explained[1]).not.toHaveProperty('meaning');
  });
});

describe('in a large catalogue', () => {
  const MANY: readonly Tool[] = Array.from({ length: 120 }, (_, at) => ({
    name: `tool_${at}`,
    description: `bank ${'and more words '.repeat(at)}`,
    means: at === 110 ? [1, 0] : [0, 1],
  }));

  it('brings up a tool that words put after the first fifty', async () => {
    const { find } = searching(MANY);
    const { names, totalMatches } = await find('bank', { limit: 5 });
    expect(names).toContain('tool_110');
    expect(totalMatches).toBe(120);
  });

  it('gives every tool once, whatever is left for later', async () => {
    const { find } = searching(MANY);
    const whole = await find('bank', { limit: 120 });
    const { hits, later } = await find('bank', { limit: 120, atOnce: 10 });
    const positions = [...hits, ...later!.make()].map(({ position }) => position);
    expect(positions).toHaveLength(120);
    expect(new Set(positions).size).toBe(120);
    expect(positions).toEqual(whole.hits.map(({ position }) => position));
  });
});

describe('looking through vectors', () => {
  const looked = (within: number, count = 3) =>
    nearestOf(
      { query: vector(1, 0), count, vectorOf: () => vector(1, 1), pause: noPause },
      { most: 2, has: () => true, within },
    );

  it('is left alone where there are more numbers than may be looked at', async () => {
    expect(await looked(6)).toHaveLength(2);
    expect(await looked(5)).toEqual([]);
    expect(await looked(1e9, 20_001)).toBeUndefined();
  });

  it('is by the cosine, from a table of vectors as from each by itself', async () => {
    const vectors = Array.from({ length: 40 }, (_, at) =>
      vector(...Array.from({ length: 7 }, (_, place) => Math.sin(at * 7 + place))),
    );
    const table = new VectorTable(7, 40);
    const asked: number[] = [];
    const vectorOf = (position: number) => {
      asked.push(position);
      return vectors[position];
    };
    const parts = { query: vectors[3]!, count: 40, vectorOf, pause: noPause };
    const search = { most: 5, has: (position: number) => position !== 3 };
    const plain = (await nearestOf(parts, search))!;
    expect(plain.map((tool) => tool.cosine)).toEqual(
      plain.map(({ position }) => cosine(vectors[3]!, vectors[position]!)),
    );
    expect(await nearestOf({ ...parts, table }, search)).toEqual(plain);
    expect(asked).toHaveLength(78);
    expect(await nearestOf({ ...parts, table }, search)).toEqual(plain);
    expect(asked).toHaveLength(78);
  });

  it('passes over vectors of another model', async () => {
    const vectorOf = (position: number) => (position === 0 ? vector(1, 0, 0) : vector(1, 1));
    const parts = { query: vector(1, 0), count: 2, vectorOf, pause: noPause };
    expect((await nearestOf(parts, { most: 5, has: () => true }))!.map(({ position }) => position)).toEqual([
      1,
    ]);
  });
});

describe('a table of vectors', () => {
  it('is exact for the longest vectors', () => {
    const most = new Int8Array(8_192).fill(-127);
    const table = new VectorTable(8_192, 1);
    table.set(0, most);
    expect(table.cosine(most, lengthOf(most), 0)).toBeCloseTo(1, 12);
  });

  it('keeps what it has with more room, and takes no vector of another model', () => {
    const table = new VectorTable(2, 4);
    table.set(1, vector(1, 0));
    table.set(2, vector(1, 0, 0));
    table.set(4, vector(1, 0));
    expect([0, 1, 2, 4].map((position) => table.has(position))).toEqual([false, true, false, false]);
    const larger = table.withRoom(5);
    expect([larger.room, larger.bytes]).toEqual([5, 5 * (2 + 8)]);
    larger.set(4, vector(0, 1));
    expect([0, 1, 2, 4].map((position) => larger.has(position))).toEqual([false, true, false, true]);
    expect(larger.cosine(vector(1, 0), lengthOf(vector(1, 0)), 1)).toBeCloseTo(1, 12);
  });
});
