import { expect, test } from 'vitest';
import { generateQueries } from '../src/generate-queries.ts';
import { generateTools } from '../src/generate-tools.ts';

const tools = generateTools({ count: 200, seed: 1 });

test('repeats the queries of a seed and writes others for the next one', () => {
  const first = generateQueries(tools, { count: 20, seed: 1 });
  expect(first).toHaveLength(20);
  expect(generateQueries(tools, { count: 20, seed: 1 })).toEqual(first);
  expect(generateQueries(tools, { count: 20, seed: 2 })).not.toEqual(first);
});

test('asks for what a tool acts on, in a few words and without its server’s prefix', () => {
  const nouns = new Set(tools.map((tool) => tool.name.split('_').at(-1)));
  const prefixes = new Set(tools.map((tool) => tool.description.match(/ in (\w+) /)?.[1]?.toLowerCase()));
  for (const query of generateQueries(tools, { count: 100, seed: 3 })) {
    const words = query.split(' ');
    expect(words.length).toBeLessThanOrEqual(6);
    expect(words.some((word) => nouns.has(word))).toBe(true);
    expect(prefixes).not.toContain(words[0]);
  }
});
