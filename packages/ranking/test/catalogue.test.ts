import type { Tool } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { noPause } from '../src/ranker.ts';
import { selectTools, type ToolQuery } from '../src/search/select-tools.ts';
import { wordRanker } from './word-ranker.ts';

const tool = (name: string, description = '', parameters?: Record<string, unknown>): Tool =>
  parameters === undefined ? { name, description } : { name, description, definition: { parameters } };

const TOOLS = [
  tool('create_issue', 'Open a new issue. Needs a title.', {
    properties: { title: { description: 'Issue title' } },
  }),
  tool('list_issues', 'List issues of a repository'),
  tool('get_user', 'Get a user by login'),
  tool('get_user_by_id', 'Get a user by number'),
  tool('send_mail', 'Send a message about an issue'),
  tool('weather', 'Forecast', { properties: { city: { description: 'Where the user is' } } }),
];
const catalogue = buildCatalogue(TOOLS, wordRanker);

const select = (pattern: string, query: Partial<ToolQuery> = {}, from = catalogue) =>
  selectTools(from, { pattern, topK: 5, alwaysKeep: [], searchType: 'auto', ...query }, noPause);

describe('exact names', () => {
  test('precede every other score', async () => {
    const selection = await select('user user user weather');
    expect(selection.names[0]).toBe('weather');
    expect(selection.references[0]).toMatchObject({
      score: 1,
      matchedOn: ['exact_name', 'name', 'parameters'],
    });
    expect(selection.searchType).toBe('keyword');
  });

  test('come in the order of the pattern, and what else fits follows', async () => {
    const { names } = await select('get_user_by_id, create_issue');
    expect(names).toEqual(['get_user_by_id', 'create_issue', 'get_user', 'send_mail', 'weather']);
  });

  test('are the whole answer to select:', async () => {
    const selection = await select('select:send_mail,get_user,unknown');
    expect(selection.names).toEqual(['send_mail', 'get_user']);
    expect(selection.totalMatches).toBe(2);
  });

  test('fall back to keywords in a select: that names nothing known', async () => {
    expect((await select('select:mail')).names).toEqual(['send_mail']);
  });

  test('are more than top_k: the first ones are chosen', async () => {
    expect((await select('weather send_mail get_user', { topK: 2 })).names).toEqual(['weather', 'send_mail']);
  });

  test('count as matches when nothing else does', async () => {
    const lone = buildCatalogue([tool('天気'), tool('b')], wordRanker);
    expect(await select('天気', {}, lone)).toMatchObject({
      names: ['天気'],
      noMatch: false,
      totalMatches: 1,
    });
  });
});

describe('a pattern is read', () => {
  test('as a glob, which matches names alone', async () => {
    const selection = await select('*_issue*');
    expect(selection.names).toEqual(['create_issue', 'list_issues']);
    expect(selection.searchType).toBe('glob');
    expect(selection.references.map((reference) => reference.matchedOn)).toEqual([['name'], ['name']]);
  });

  test('as a regular expression, a match in the name above the description above parameters', async () => {
    const selection = await select('.*user.*');
    expect(selection.names).toEqual(['get_user', 'get_user_by_id', 'weather']);
    expect(selection.searchType).toBe('regex');
    expect(selection.references.map((reference) => reference.matchedOn)).toEqual([
      ['name', 'description', 'regex'],
      ['name', 'description', 'regex'],
      ['parameters', 'regex'],
    ]);
  });

  test('as keywords when the regular expression matches nothing', async () => {
    const selection = await select('^mail.*message$');
    expect(selection.searchType).toBe('keyword');
    expect(selection.names).toEqual(['send_mail']);
  });

  test('as keywords when the glob matches nothing', async () => {
    const selection = await select('mail*issue');
    expect(selection.searchType).toBe('keyword');
    expect(selection.noMatch).toBe(false);
  });

  test('as a regular expression when asked to, and as keywords when asked to', async () => {
    expect((await select('issue', { searchType: 'regex' })).searchType).toBe('regex');
    expect((await select('.*issue.*', { searchType: 'keyword' })).searchType).toBe('keyword');
  });

  test('as exact names first, whatever is asked for', async () => {
    for (const searchType of ['auto', 'keyword', 'regex'] as const) {
      expect((await select('weather', { searchType })).names[0]).toBe('weather');
    }
  });
});

describe('names to keep', () => {
  test('that are not in the catalogue are ignored', async () => {
    const selection = await select('mail', { alwaysKeep: ['unknown', 'GET_USER'] });
    expect(selection.names).toEqual(['send_mail']);
    expect(selection.keptLeftOut).toBe(0);
  });

  test('are at their rank beyond top_k, or after all matches if they do not match', async () => {
    expect((await select('issue', { topK: 2, alwaysKeep: ['send_mail'] })).names).toEqual([
      'create_issue',
      'send_mail',
    ]);
    expect((await select('mail', { alwaysKeep: ['weather', 'get_user'] })).names).toEqual([
      'send_mail',
      'get_user',
      'weather',
    ]);
  });

  test('are at their rank in a regular expression, too', async () => {
    expect((await select('.*user.*', { topK: 2, alwaysKeep: ['weather'] })).names).toEqual([
      'get_user',
      'weather',
    ]);
  });

  test('are all there is when nothing matches, which is said', async () => {
    const selection = await select('zebra', { alwaysKeep: ['weather'] });
    expect(selection).toMatchObject({ names: ['weather'], noMatch: true, totalMatches: 0 });
    expect(selection.references[0]).toEqual({
      name: 'weather',
      score: 0,
      summary: 'Forecast',
      matchedOn: [],
    });
  });
});

test('a blank pattern gives the names to keep and no match', async () => {
  for (const pattern of ['', '  \n\t']) {
    expect(await select(pattern, { alwaysKeep: ['weather'] })).toMatchObject({
      names: ['weather'],
      noMatch: true,
    });
    expect(await select(pattern)).toMatchObject({ names: [], noMatch: true });
  }
});

test('no tools give an empty answer', async () => {
  const empty = buildCatalogue([], wordRanker);
  expect(await select('anything', { alwaysKeep: ['weather'] }, empty)).toEqual({
    names: [],
    scores: [],
    noMatch: true,
    references: [],
    totalMatches: 0,
    searchType: 'keyword',
    keptLeftOut: 0,
    certainty: 'none',
    unknownWords: [],
  });
  expect((await select('.*', {}, empty)).names).toEqual([]);
});

test('many tools of one name take the room of one', async () => {
  const many = buildCatalogue(
    [...Array.from({ length: 50 }, () => tool('weather weather', 'weather')), tool('other', 'Weather')],
    wordRanker,
  );
  const selection = await select('weather', { topK: 2 }, many);
  expect(selection.names).toEqual(['weather weather', 'other']);
  expect(selection.totalMatches).toBe(51);
});

test('duplicate names appear once, and top_k counts distinct names', async () => {
  const tools = [tool('a', 'mail mail mail'), tool('a', 'mail mail'), tool('b', 'mail'), tool('a', 'mail')];
  const repeated = buildCatalogue(tools, wordRanker);
  expect((await select('mail', { topK: 2 }, repeated)).names).toEqual(['a', 'b']);
  expect((await select('.*mail.*', { topK: 2 }, repeated)).names).toEqual(['a', 'b']);
  expect((await select('a', {}, repeated)).names).toEqual(['a']);
  expect((await select('mail', { topK: 2, alwaysKeep: ['b', 'a'] }, repeated)).names).toEqual(['a', 'b']);
});

test('gives a reference for every name, in order, with a summary', async () => {
  const selection = await select('title');
  expect(selection.references).toEqual([
    {
      name: 'create_issue',
      score: 1,
      summary: 'Open a new issue.',
      matchedOn: ['description', 'parameters'],
    },
  ]);
});

test('counts all matches, those beyond top_k too', async () => {
  expect((await select('issue user', { topK: 1 })).totalMatches).toBe(5);
  expect((await select('.*issue.*', { topK: 1 })).totalMatches).toBe(3);
});

test('gives the same answer every time, also to searches that run at once', async () => {
  const patterns = ['.*user.*', 'issue', 'get_*', 'weather', 'mail|user'];
  const first = await Promise.all(patterns.map((pattern) => select(pattern)));
  const again = await Promise.all(patterns.map((pattern) => select(pattern)));
  expect(again).toEqual(first);
});

test('two searches by one expression that pause in the middle do not disturb each other', async () => {
  const tools = Array.from({ length: 3_000 }, (_, index) =>
    tool(`tool_${index}`, `slack ${'x'.repeat(500)}`),
  );
  const large = buildCatalogue(tools, wordRanker);
  const search = () =>
    selectTools(large, { pattern: 'slack|mail', topK: 1, alwaysKeep: [], searchType: 'auto' }, noPause);
  const totals = await Promise.all([search(), search(), search()]);
  expect(totals.map((selection) => selection.totalMatches)).toEqual([3_000, 3_000, 3_000]);
});

test('pauses often in a large regular expression search, and passes on a pause that gives up', async () => {
  const tools = Array.from({ length: 2_000 }, (_, index) => tool(`tool_${index}`, 'word '.repeat(200)));
  const large = buildCatalogue(tools, wordRanker);
  const query: ToolQuery = { pattern: '\\d+[a-z]+\\d+', topK: 5, alwaysKeep: [], searchType: 'regex' };
  let pauses = 0;
  await selectTools(large, query, async () => {
    pauses += 1;
  });
  expect(pauses).toBeGreaterThan(4);
  const giveUp = () => Promise.reject(new Error('cancelled'));
  await expect(selectTools(large, query, giveUp)).rejects.toThrow('cancelled');
});

test('keeps and describes a tool whose name is blank like any other, and takes no pattern for its name', async () => {
  const built = buildCatalogue(
    [tool('first', 'Something else.'), tool('', 'Mail it.'), tool(' ')],
    wordRanker,
  );
  const kept = await select('', { alwaysKeep: ['', ' '] }, built);
  expect(kept).toMatchObject({ names: ['', ' '], noMatch: true });
  expect((await select('mail', {}, built)).references).toMatchObject([{ name: '', summary: 'Mail it.' }]);
  expect((await select('   ', {}, built)).names).toEqual([]);
});

test('selects nothing for a blank pattern, also when it is to be a regular expression', async () => {
  for (const blank of ['', ' ', '\n\t'])
    expect(await select(blank, { searchType: 'regex' })).toMatchObject({ names: [], noMatch: true });
});

test('reads no more of a megabyte of pattern than keywords may have', async () => {
  expect((await select(`weather ${'filler '.repeat(150_000)} mail`)).names).toEqual(['weather']);
});

test('keeps nothing of the tools that it was built from', async () => {
  const tools = [tool('before', 'mail')];
  const built = buildCatalogue(tools, wordRanker);
  tools[0]!.name = 'after';
  expect((await select('mail', {}, built)).names).toEqual(['before']);
});

test('estimates its memory by its texts', () => {
  const small = buildCatalogue([tool('a', 'x'.repeat(100))], wordRanker);
  const large = buildCatalogue([tool('a', 'x'.repeat(5_100))], wordRanker);
  expect(large.bytes - small.bytes).toBe(10_000);
});
