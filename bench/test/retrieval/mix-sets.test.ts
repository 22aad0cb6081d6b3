import { describe, expect, test } from 'vitest';
import { mixSets, mixtureOf } from '../../src/retrieval/mix-sets.ts';
import type { RetrievalSet } from '../../src/retrieval/read-sets.ts';

/** Sets of 100 tools each, of which the first has the same name in all of them, and a query for each tool and one for two. */
const SETS: RetrievalSet[] = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => {
  const names = Array.from({ length: 100 }, (_, number) => (number === 0 ? 'search' : `${name}_${number}`));
  const query = (id: string, gold: string[]) => ({
    id,
    text: id,
    gold: new Set(gold),
    candidates: names.slice(0, 2),
  });
  return {
    name,
    tools: names.map((tool) => ({ name: tool, description: '', parameters: undefined })),
    queries: [...names.map((tool) => query(tool, [tool])), query('two', names.slice(1, 3))],
    warnings: [],
  };
});

describe('mixed sets', () => {
  const mixed = mixSets(SETS);
  const byName = new Map(mixed.map((set) => [set.name, set]));

  test('are three samples of each size, and all tools', () => {
    const sizes = mixed.map(({ name, tools }) => [name, tools.length]);
    expect(sizes).toEqual([
      ['mixed-500-1', 500],
      ['mixed-500-2', 500],
      ['mixed-500-3', 500],
      ['mixed-2000-1', 600],
      ['mixed-2000-2', 600],
      ['mixed-2000-3', 600],
      ['mixed-all-1', 600],
    ]);
    const names = (set: string) => byName.get(set)!.tools.map(({ name }) => name);
    expect(names('mixed-500-1')).not.toEqual(names('mixed-500-2'));
  });

  test('have every name once, and queries that mean the renamed tools', () => {
    const all = byName.get('mixed-all-1')!;
    expect(new Set(all.tools.map(({ name }) => name)).size).toBe(600);
    const golds = all.queries.filter(({ text }) => text === 'search').map(({ gold }) => [...gold][0]);
    expect(new Set(golds).size).toBe(6);
    expect(golds).toContain('search_two');
    expect(all.queries).toHaveLength(606);
  });

  test('have the queries whose tools are all drawn, without lists of their own', () => {
    const { tools, queries } = byName.get('mixed-500-1')!;
    const drawn = new Set(tools.map(({ name }) => name));
    expect(queries.length).toBeGreaterThan(480);
    expect(queries.every(({ gold }) => [...gold].every((name) => drawn.has(name)))).toBe(true);
    expect(queries.every(({ candidates }) => candidates === undefined)).toBe(true);
  });

  test('leave out no query for being one of many', () => {
    const again = (set: RetrievalSet, time: number) =>
      set.queries.map((query) => ({ ...query, id: `${query.id} ${time}` }));
    const many = SETS.map((set) => ({
      ...set,
      queries: [0, 1, 2, 3, 4].flatMap((time) => again(set, time)),
    }));
    expect(mixSets(many).find(({ name }) => name === 'mixed-all-1')!.queries).toHaveLength(5 * 606);
  });

  test('are the same in every run, and none of a single set', () => {
    expect(mixSets(SETS)).toEqual(mixed);
    expect(mixSets(SETS.slice(5))).toEqual([]);
  });

  test('are known by their names', () => {
    expect(mixed.map(({ name }) => mixtureOf(name))).toEqual([
      '500',
      '500',
      '500',
      '2000',
      '2000',
      '2000',
      'all',
    ]);
    expect(mixtureOf('bfcl')).toBeUndefined();
  });
});
