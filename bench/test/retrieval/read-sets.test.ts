import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/input-error.ts';
import { readSets } from '../../src/retrieval/read-sets.ts';

const TOOL = '{"name":"a","description":"d","parameters":null,"group":null}\n';
const QUERY = '{"id":"q1","query":"x","gold":["a"],"kind":"request"}\n';

function folderWith(tools: string, queries: string, below = ''): string {
  const root = mkdtempSync(join(tmpdir(), 'sets-'));
  const folder = join(root, below, 'one');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tools.jsonl'), tools);
  writeFileSync(join(folder, 'queries.jsonl'), queries);
  return root;
}

describe('readSets', () => {
  test.each(['', 'retrieval'])('reads sets that lie in the folder or below "%s"', (below) => {
    const [set] = readSets(folderWith(TOOL, QUERY, below));
    expect(set).toEqual({
      name: 'one',
      tools: [{ name: 'a', description: 'd', parameters: undefined }],
      queries: [{ id: 'q1', text: 'x', gold: new Set(['a']), candidates: undefined }],
      warnings: [],
    });
  });

  test.each([
    ['text that is not JSON', TOOL, `${QUERY}{"id":\n`, /queries\.jsonl:2: not JSON/],
    ['a line that is no object', `${TOOL}[]\n`, QUERY, /tools\.jsonl:2: expected an object/],
    ['a tool without a name', '{"description":"d"}\n', QUERY, /tools\.jsonl:1: "name" must be/],
    [
      'parameters that are a list',
      '{"name":"a","parameters":[]}\n',
      QUERY,
      /tools\.jsonl:1: "parameters" must/,
    ],
    [
      'a query without gold',
      TOOL,
      '{"id":"q","query":"x","gold":[]}\n',
      /queries\.jsonl:1: "gold" must name/,
    ],
    [
      'gold that is text',
      TOOL,
      '{"id":"q","query":"x","gold":"a"}\n',
      /queries\.jsonl:1: "gold" must be a list/,
    ],
    ['an id used twice', TOOL, `${QUERY}\n${QUERY}`, /queries\.jsonl:3: the id "q1" is used a second time/],
  ])('refuses %s, naming file and line', (_, tools, queries, message) => {
    expect(() => readSets(folderWith(tools, queries))).toThrow(InputError);
    expect(() => readSets(folderWith(tools, queries))).toThrow(message);
  });

  test('names the sets that there are when one is asked for that is not', () => {
    expect(() => readSets(folderWith(TOOL, QUERY), ['two'])).toThrow(/no set "two" in .*; there are: one/);
  });

  test('refuses a folder without sets', () => {
    expect(() => readSets(mkdtempSync(join(tmpdir(), 'sets-')))).toThrow(/no set in/);
    expect(() => readSets('/nowhere/at/all')).toThrow(/no folder/);
  });

  test('warns of names that no tool has, and leaves such candidates out', () => {
    const queries = '{"id":"q1","query":"x","gold":["a","b"],"candidates":["a","c"]}\n';
    const [set] = readSets(folderWith(TOOL, queries));
    expect(set?.queries[0]?.candidates).toEqual(['a']);
    expect(set?.warnings).toEqual([
      expect.stringMatching(/queries\.jsonl:1: gold "b" is not in tools\.jsonl; it counts as never found/),
      expect.stringMatching(/queries\.jsonl:1: candidate "c" is not in tools\.jsonl; it is left out/),
    ]);
  });
});
