import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { noPause } from '../src/ranker.ts';
import { explainTools } from '../src/search/explain-tools.ts';
import { selectTools } from '../src/search/select-tools.ts';

const TOOLS = [
  { name: 'create_issue', description: 'Open an issue in a repository' },
  { name: 'list_issues', description: 'All issues of a repository' },
  { name: 'send_mail', description: 'Send a message' },
  { name: 'get_weather', description: 'Forecast for a city' },
  { name: 'send_mail', description: 'Send an issue by mail to a repository' },
];
const catalogue = buildCatalogue(TOOLS);
const explain = (pattern: string, names: readonly string[], more: { excluded?: Uint8Array } = {}) =>
  explainTools(catalogue, names, { pattern, searchType: 'auto', ...more }, noPause);

describe('an explanation', () => {
  test('tells rank, share of the best score, and words that match and that do not', async () => {
    const [created, listed, weather] = await explain('create an issue in the repository', [
      'create_issue',
      'list_issues',
      'get_weather',
    ]);
    expect(created).toEqual({
      name: 'create_issue',
      rank: 1,
      score: 1,
      matched: ['create', 'issue', 'repository'],
      missing: [],
    });
    expect(listed).toMatchObject({ matched: ['issue', 'repository'], missing: ['create'] });
    expect(listed!.score).toBeGreaterThan(0);
    expect(listed!.score).toBeLessThan(1);
    expect(weather).toEqual({
      name: 'get_weather',
      rank: undefined,
      score: 0,
      matched: [],
      missing: ['create', 'issue', 'repository'],
    });
  });

  test('ranks as a search that orders everything does', async () => {
    const pattern = 'send an issue of the repository';
    const query = { pattern, searchType: 'auto', topK: 5, alwaysKeep: [] } as const;
    const { names } = await selectTools(catalogue, query, noPause);
    const explained = await explain(pattern, names);
    const byRank = explained.toSorted((a, b) => a.rank! - b.rank!).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(2);
    expect(byRank).toEqual(names);
  });

  test('is of the best of several tools that share a name', async () => {
    const [mail] = await explain('issue repository', ['send_mail']);
    expect(mail).toMatchObject({ matched: ['issue', 'repository'], missing: [] });
  });

  test('leaves out names that are not there, and tools that the search may not see', async () => {
    expect(await explain('issue', ['gone', 'constructor'])).toEqual([]);
    const excluded = Uint8Array.from([1, 0, 0, 0, 0]);
    const explained = await explain('issue', ['create_issue', 'list_issues'], { excluded });
    expect(explained.map(({ name, rank }) => [name, rank])).toEqual([['list_issues', 1]]);
  });

  test('takes an exact name, a glob and a regular expression as one', async () => {
    expect(await explain('*_issues', ['list_issues', 'create_issue'])).toMatchObject([
      { rank: 1, matched: ['*_issues'], missing: [] },
      { rank: undefined, matched: [], missing: ['*_issues'] },
    ]);
    expect(await explain('^create_', ['create_issue'])).toMatchObject([{ rank: 1, matched: ['^create_'] }]);
    expect(await explain('get_weather', ['get_weather'])).toMatchObject([
      { rank: 1, matched: ['get_weather'] },
    ]);
  });

  test('looks at stop words where there is nothing else, and at each word once', async () => {
    const [mail] = await explain('by by', ['send_mail']);
    expect([...mail!.matched, ...mail!.missing]).toEqual(['by']);
  });

  test('of a pattern that finds nothing says which words there were', async () => {
    expect(await explain('quantum zebra', ['get_weather'])).toEqual([
      { name: 'get_weather', rank: undefined, score: 0, matched: [], missing: ['quantum', 'zebra'] },
    ]);
  });
});
