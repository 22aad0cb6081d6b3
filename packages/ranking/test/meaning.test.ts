import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { cosine, type MeaningSource, nearestOf, toInt8Vector } from '../src/meaning/meaning-source.ts';
import { meaningShares, meaningWeight } from '../src/meaning/rank-with-meaning.ts';
import { noPause } from '../src/ranker.ts';
import { explainTools } from '../src/search/explain-tools.ts';
import { findTools } from '../src/search/find-tools.ts';
import { selectTools } from '../src/search/select-tools.ts';
import { meaningText } from '../src/tools/tool-document.ts';

const vector = (...numbers: number[]) => toInt8Vector(numbers)!;

describe('a vector', () => {
  it('keeps its direction in a byte for each dimension', () => {
    expect([...vector(0.1, -0.2, 0.05)]).toEqual([64, -127, 32]);
    expect(cosine(vector(3, 4), vector(30, 40))).toBeCloseTo(1, 6);
    expect(cosine(vector(1, 0), vector(0, 5))).toBe(0);
    expect(cosine(vector(1, 2), vector(-1, -2))).toBeCloseTo(-1, 4);
  });

  it('survives the smallest and the largest numbers', () => {
    expect([...vector(5e-324, -5e-324)]).toEqual([127, -127]);
    expect([...vector(1.7e308, 1e308)]).toEqual([127, 75]);
  });

  it.each([
    [[]],
    [[0, 0]],
    [[Number.NaN, 1]],
    [[Number.POSITIVE_INFINITY, 1]],
    [['1', 1]],
    [[null, 1]],
    [Array.from({ length: 8_193 }, () => 1)],
  ])('is none where there is no direction: %#', (numbers) => {
    expect(toInt8Vector(numbers)).toBeUndefined();
  });

  it('compares with those of its own model only', () => {
    expect(cosine(vector(1, 2), vector(1, 2, 3))).toBeUndefined();
  });
});

describe('the share of meaning', () => {
  it('is the weight for the best tool, 0 for an average one, and below 0 under it', () => {
    expect(meaningShares([0.75, 0.5, 0.25], 0.8)).toEqual([0.8, 0, -0.8]);
  });

  it('is small where all mean nearly the same, so that chance does not outvote words', () => {
    const [best, least] = meaningShares([0.61, 0.59], 0.8);
    expect(best).toBeCloseTo((0.8 * 0.01) / (0.35 * 0.4), 9);
    expect(least).toBeCloseTo(-best!, 9);
    // The same of a model that puts all texts near one another.
    const near = meaningShares([0.91, 0.9], 0.8)[0]!;
    expect(near).toBeLessThan(0.2);
    expect(near).toBeGreaterThan(meaningShares([0.51, 0.5], 0.8)[0]!);
  });

  it('takes a tool without a vector for an average one, and says nothing where all are equal or one is known', () => {
    expect(meaningShares([0.75, undefined, 0.25], 0.5)).toEqual([0.5, 0, -0.5]);
    expect(meaningShares([0.3, 0.3, 0.3], 0.5)).toEqual([0, 0, 0]);
    expect(meaningShares([undefined, 0.3], 0.5)).toEqual([0, 0]);
  });

  it('is smaller the longer the query is', () => {
    expect([1, 5, 45, 500].map(meaningWeight)).toEqual([0.8, 0.8, 0.25, 0.25]);
    expect(meaningWeight(25)).toBeCloseTo(0.525, 9);
  });
});

describe('the text by which a tool is known', () => {
  const textOf = (name: string, description: string) => meaningText({ name, description });

  it('has the words of its name and what it does', () => {
    expect(textOf('github__createPull_request', 'Opens one.')).toBe('github create Pull request: Opens one.');
    expect(textOf('x', '')).toBe('x: ');
  });

  it('has no ending that says what every tool is', () => {
    expect(textOf('JobTool', 'Finds one.')).toBe('Job: Finds one.');
    expect(textOf('call_tool', 'Calls one.')).toBe('call tool: Calls one.');
  });

  it('is cut where small models stop reading', () => {
    expect(textOf('send', 'x'.repeat(2_000))).toHaveLength(1_000);
  });
});

const TOOLS = [
  { name: 'bank_transfer', description: 'Send money from a bank account.' },
  { name: 'bank_of_river', description: 'The bank of a river: water levels.' },
  { name: 'bank_holidays', description: 'Public holidays.' },
  { name: 'get_weather', description: 'Current weather.' },
];

/** A source that knows the meaning of some tools by their names. */
function sourceOf(
  vectors: Readonly<Record<string, readonly number[]>>,
  tools: readonly { name: string }[] = TOOLS,
): MeaningSource & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    async vectorsOf(_query, positions) {
      asked.push(...positions);
      const toVector = (numbers: readonly number[] | undefined) => numbers && toInt8Vector(numbers);
      return {
        query: vector(1, 0),
        tools: positions.map((position) => toVector(vectors[tools[position]!.name])),
      };
    },
  };
}

const NO_VECTORS: MeaningSource = { vectorsOf: async () => undefined };

async function search(pattern: string, meaning?: MeaningSource, topK = 3) {
  const catalogue = buildCatalogue(TOOLS);
  const query = { pattern, topK, alwaysKeep: [], searchType: 'auto', ...(meaning && { meaning }) } as const;
  return selectTools(catalogue, query, noPause);
}

describe('a search with meaning', () => {
  const byMeaning = { bank_of_river: [1, 0], bank_transfer: [0, 1], bank_holidays: [-1, 0.2] };

  it('orders by words and meaning, and finds what words find', async () => {
    const words = await search('bank');
    const meant = await search('bank', sourceOf(byMeaning));
    expect(words.names).toEqual(['bank_transfer', 'bank_of_river', 'bank_holidays']);
    expect(meant.names).toEqual(['bank_of_river', 'bank_transfer', 'bank_holidays']);
    expect(meant.totalMatches).toBe(words.totalMatches);
    const scores = meant.references.map(({ score }) => score);
    expect(scores[0]).toBe(1);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect(scores.every((score) => score > 0)).toBe(true);
  });

  it('keeps the order of words without vectors, and of tools that have none', async () => {
    const words = await search('bank');
    expect(await search('bank', NO_VECTORS)).toEqual(words);
    expect(await search('bank', sourceOf({}))).toEqual(words);
  });

  it('keeps the order of words where the vectors are of another model', async () => {
    const foreign = { bank_of_river: [1, 0, 0], bank_transfer: [0, 1, 0], bank_holidays: [-1, 0, 0] };
    expect(await search('bank', sourceOf(foreign))).toEqual(await search('bank'));
  });

  it('never moves exact names', async () => {
    const { names } = await search('bank_holidays, then the bank of a river', sourceOf(byMeaning));
    expect(names.slice(0, 2)).toEqual(['bank_holidays', 'bank_of_river']);
    const reversed = await search('bank_transfer and bank_holidays', sourceOf(byMeaning));
    expect(reversed.names.slice(0, 2)).toEqual(['bank_transfer', 'bank_holidays']);
  });

  it('leaves globs and regular expressions alone', async () => {
    const source = sourceOf(byMeaning);
    expect((await search('bank_*', source)).names).toEqual((await search('bank_*')).names);
    expect((await search('^bank_.*', source)).names).toEqual((await search('^bank_.*')).names);
    expect(source.asked).toEqual([]);
  });

  it('looks at the first fifty, however few are wanted, and leaves the rest behind them', async () => {
    const tools = Array.from({ length: 60 }, (_, at) => ({
      name: `tool_${at}`,
      description: `bank ${'and more words '.repeat(at)}`,
    }));
    const catalogue = buildCatalogue(tools);
    const query = { pattern: 'bank', alwaysKeep: [], searchType: 'auto' } as const;
    const words = await selectTools(catalogue, { ...query, topK: 60 }, noPause);
    const [fiftieth, next] = [words.names[49]!, words.names[50]!];
    const vectors = Object.fromEntries(tools.map(({ name }) => [name, [0, 1]]));
    vectors[fiftieth] = [1, 0];
    vectors[next] = [1, 0];
    const source = sourceOf(vectors, tools);
    const one = await selectTools(catalogue, { ...query, topK: 1, meaning: source }, noPause);
    expect(one.names).toEqual([fiftieth]);
    expect(source.asked).toHaveLength(50);
    const all = await selectTools(
      catalogue,
      { ...query, topK: 60, meaning: sourceOf(vectors, tools) },
      noPause,
    );
    expect(all.names.slice(50)).toEqual(words.names.slice(50));
    const scores = all.references.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    const kept = { ...query, topK: 2, alwaysKeep: [next], meaning: sourceOf(vectors, tools) };
    const { names, references } = await selectTools(catalogue, kept, noPause);
    expect(names).toEqual([fiftieth, next]);
    // It has matched, and says where.
    expect(references[1]!.matchedOn).toEqual(['description']);
  });

  it('puts none of the first fifty after the others, however little it means', async () => {
    const tools = Array.from({ length: 60 }, (_, at) => ({
      name: `tool_${at}`,
      description: `bank ${'and more words '.repeat(at)}`,
    }));
    const catalogue = buildCatalogue(tools);
    const vectors = Object.fromEntries(tools.map(({ name }) => [name, [1, 0]]));
    vectors.tool_0 = [-1, 0];
    const query = { pattern: 'bank', searchType: 'auto', limit: 60 } as const;
    const words = await findTools(catalogue, query, noPause);
    const { hits } = await findTools(catalogue, { ...query, meaning: sourceOf(vectors, tools) }, noPause);
    expect(words.hits[0]!.position).toBe(0);
    expect(hits.findIndex(({ position }) => position === 0)).toBe(49);
    expect(hits[49]!.score).toBeCloseTo(words.hits[49]!.score, 9);
    expect(
      hits.every(
        ({ score }, place) =>
          score >= words.hits[59]!.score - 1e-9 && score <= (hits[place - 1]?.score ?? 99),
      ),
    ).toBe(true);
  });

  it('says what meaning has added to a tool', async () => {
    const catalogue = buildCatalogue(TOOLS);
    const names = ['bank_of_river', 'bank_transfer', 'bank_holidays', 'get_weather'];
    const query = { pattern: 'bank', searchType: 'auto', meaning: sourceOf(byMeaning) } as const;
    const explained = await explainTools(catalogue, names, query, noPause);
    expect(explained.map(({ rank }) => rank)).toEqual([1, 2, 3, undefined]);
    expect(explained[0]!.meaning).toBeCloseTo(0.8, 6);
    expect(explained[2]!.meaning).toBeLessThan(0);
    expect(explained[3]).not.toHaveProperty('meaning');
  });
});

describe('a search only by meaning', () => {
  const VECTORS = {
    bank_transfer: [1, 0.1],
    bank_of_river: [0, 1],
    get_weather: [1, 0.6],
  };
  const all = (vectors: Readonly<Record<string, readonly number[]>>): MeaningSource => ({
    ...sourceOf(vectors),
    nearest: (_, search) =>
      nearestOf(
        {
          query: vector(1, 0),
          count: TOOLS.length,
          vectorOf: (position) => {
            const numbers = vectors[TOOLS[position]!.name];
            return numbers && toInt8Vector(numbers);
          },
          pause: noPause,
        },
        search,
      ),
  });
  const catalogue = buildCatalogue(TOOLS);
  const search = (meaning: MeaningSource | undefined, more: object = {}) =>
    selectTools(
      catalogue,
      {
        ...{ pattern: 'bank', searchType: 'semantic', topK: 4, alwaysKeep: [], ...more },
        ...(meaning && { meaning }),
      },
      noPause,
    );

  it('finds what no word finds, and puts what has no vector behind', async () => {
    const { names, references, totalMatches, searchType } = await search(all(VECTORS));
    expect(names).toEqual(['bank_transfer', 'get_weather', 'bank_of_river', 'bank_holidays']);
    expect(references.map(({ matchedOn }) => matchedOn)).toEqual([
      ['name', 'description'],
      ['meaning'],
      ['name', 'description'],
      ['name'],
    ]);
    const scores = references.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect([totalMatches, searchType]).toEqual([4, 'semantic']);
    expect((await search(all(VECTORS), { topK: 1 })).names).toEqual(['bank_transfer']);
  });

  it('scores what has no vector below the rest, however well its words fit', async () => {
    const pattern = 'public bank holidays';
    expect((await search(undefined, { pattern })).names[0]).toBe('bank_holidays');
    const { hits } = await findTools(
      catalogue,
      { pattern, searchType: 'semantic', limit: 4, meaning: all(VECTORS) },
      noPause,
    );
    expect(hits.map(({ position }) => TOOLS[position]!.name)).toEqual([
      'bank_transfer',
      'get_weather',
      'bank_of_river',
      'bank_holidays',
    ]);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBeLessThanOrEqual(1);
  });

  it('keeps equals in the order of the catalogue, whatever their words say', async () => {
    const tools = Array.from({ length: 120 }, (_, at) => ({
      name: `tool_${at}`,
      description: `bank ${'and more words '.repeat(120 - at)}`,
    }));
    const equal = buildCatalogue(tools);
    const vectorOf = () => vector(1, 0);
    const meaning: MeaningSource = {
      vectorsOf: async (_, positions) => ({ query: vector(1, 0), tools: positions.map(vectorOf) }),
      nearest: (_, options) =>
        nearestOf({ query: vector(1, 0), count: tools.length, vectorOf, pause: noPause }, options),
    };
    const query = { pattern: 'bank', searchType: 'semantic', limit: 100, meaning } as const;
    const { hits } = await findTools(equal, query, noPause);
    const positions = hits.map(({ position }) => position);
    expect(positions).toEqual([
      ...Array.from({ length: 50 }, (_, at) => at),
      ...Array.from({ length: 50 }, (_, at) => 70 + at),
    ]);
  });

  it('looks through thousands without losing any of the nearest on the way', async () => {
    const vectorOf = (position: number) => vector(100, position < 4 ? position : 20 + 10 * (position % 7));
    let pauses = 0;
    const near = await nearestOf(
      { query: vector(1, 0), count: 2_000, vectorOf, pause: async () => void pauses++ },
      { most: 5, has: (position) => position !== 2 },
    );
    expect(near!.map(({ position }) => position)).toEqual([0, 1, 3, 7, 14]);
    expect(pauses).toBe(3);
  });

  it('finds something where no word of the pattern is anywhere', async () => {
    const { names, noMatch } = await search(all(VECTORS), { pattern: 'zzqx' });
    expect([names, noMatch]).toEqual([['bank_transfer', 'get_weather', 'bank_of_river'], false]);
  });

  it('leaves exact names first, excluded tools out, and globs to be words', async () => {
    expect((await search(all(VECTORS), { pattern: 'bank_of_river or the weather' })).names[0]).toBe(
      'bank_of_river',
    );
    const excluded = Uint8Array.of(1, 0, 0, 0);
    expect((await search(all(VECTORS), { excluded })).names).toEqual([
      'get_weather',
      'bank_of_river',
      'bank_holidays',
    ]);
    expect((await search(all(VECTORS), { pattern: 'bank_*' })).searchType).toBe('semantic');
  });

  it('goes by words and meaning where nothing is near, and by words where there is no vector', async () => {
    const far = { bank_transfer: [-1, 0.1], bank_of_river: [0, 1], bank_holidays: [0.1, 1] };
    expect((await search(all(far))).searchType).toBe('hybrid');
    expect((await search(all({}))).searchType).toBe('keyword');
    expect((await search(undefined)).searchType).toBe('keyword');
    const none: MeaningSource = { vectorsOf: async () => undefined, nearest: async () => undefined };
    const byWords = (await search(undefined)).names;
    expect((await search(none)).names).toEqual(byWords);
  });

  it('is distinguished from one by words and meaning, and from one by words', async () => {
    const types = ['auto', 'hybrid', 'semantic'];
    const used = await Promise.all(
      types.map(async (searchType) => (await search(all(VECTORS), { searchType })).searchType),
    );
    expect(used).toEqual(['hybrid', 'hybrid', 'semantic']);
    expect((await search(undefined, { searchType: 'auto' })).searchType).toBe('keyword');
  });

  it('gives everything in one order, however much is taken at once', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({
      name: `bank_${at}`,
      description: `Bank ${at % 7}.`,
    }));
    const large = buildCatalogue(many);
    const vectorOf = (position: number) => (position % 3 === 0 ? vector(position + 1, 50) : undefined);
    const meaning: MeaningSource = {
      vectorsOf: async (_, positions) => ({ query: vector(1, 0), tools: positions.map(vectorOf) }),
      nearest: (_, options) =>
        nearestOf({ query: vector(1, 0), count: many.length, vectorOf, pause: noPause }, options),
    };
    const query = { pattern: 'bank', searchType: 'semantic', limit: 300, meaning } as const;
    const whole = await findTools(large, query, noPause);
    const parted = await findTools(large, { ...query, atOnce: 60 }, noPause);
    const names = (found: typeof whole) =>
      [...found.hits, ...(found.later?.make() ?? [])].map(({ position }) => position);
    expect(new Set(names(whole)).size).toBe(300);
    expect(names(parted)).toEqual(names(whole));
    expect(whole.totalMatches).toBe(300);
    expect(parted.later).toBeDefined();
  });
});
