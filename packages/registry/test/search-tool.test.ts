import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Registration, type Registry, sightOf } from '../src/index.ts';
import type { SearchToolDescription } from '../src/search-tool/search-tool.ts';
import { SEARCH_TOOL_FORMATS } from '../src/search-tool/search-tool-definition.ts';
import { expectOk, makeRegistry, NOW, registration } from './make-registry.ts';

const DAY_MS = 86_400_000;

async function registryOf(
  tools: readonly Registration[],
  options: Parameters<typeof makeRegistry>[0] = {},
): Promise<Registry> {
  const registry = await makeRegistry(options);
  for (let start = 0; start < tools.length; start += 1_000) {
    expectOk(await registry.register(tools.slice(start, start + 1_000)));
  }
  return registry;
}

const textOf = (description: SearchToolDescription) => description.systemText;

describe('the search tool', () => {
  test.each(SEARCH_TOOL_FORMATS)('has names, values and defaults that stay: %s', async (format) => {
    const registry = await registryOf([
      registration('a', { namespace: 'jira' }),
      registration('b', { tags: ['mail'] }),
    ]);
    const { definition } = await registry.searchTool.describe(format);
    const golden = JSON.parse(readFileSync(new URL(`./golden/${format}.json`, import.meta.url), 'utf8'));
    expect(definition).toEqual(golden);
  });

  test('tells a model how, when and in what words to search, what there is, and that what is found must be called', async () => {
    const registry = await registryOf([
      registration('create_issue', { namespace: 'jira' }),
      registration('search_issues', { namespace: 'jira' }),
      registration('slack_send_message'),
      registration('send', { tags: ['mail', 'office'] }),
      registration('get_weather'),
    ]);
    expect(textOf(await registry.searchTool.describe('openai-chat'))).toBe(
      `# Finding tools
More tools are available to you than are shown. tool_search_tool finds them: it returns references, and the tools it found are then among your tools.

Search whenever the tools you see do not do what is asked, before you say that it cannot be done, and at once for all that is to be done, with a phrase for each.

A phrase describes one action and what it is done to ("create a ticket in Jira"), or gives a name or a part of one. Use search_type regex for patterns of names. If nothing fits, search again in other words or without category_filter.

Categories:
- jira: create issue, search issues
- mail: send
- office: send
- slack: send message

Searching does nothing by itself: a tool that was found must still be called.`,
    );
  });

  test('offers up to 50 categories to choose from, and counts those that it does not name', async () => {
    const of = (count: number) =>
      registryOf(Array.from({ length: count }, (_, n) => registration('x', { namespace: `c${n}` })));
    const enumOf = async (registry: Registry) => {
      const { definition } = await registry.searchTool.describe('mcp');
      return (definition as { inputSchema: { properties: { category_filter: { enum?: string[] } } } })
        .inputSchema.properties.category_filter.enum;
    };
    expect((await enumOf(await of(50)))?.length).toBe(50);
    expect(await enumOf(await of(51))).toBeUndefined();
    expect(await enumOf(await of(0))).toBeUndefined();
    const registry = await of(400);
    const listed = textOf(await registry.searchTool.describe('mcp')).match(/^- c\d+/gm)!.length;
    expect(listed).toBeGreaterThan(20);
    expect(textOf(await registry.searchTool.describe('mcp'))).toContain(`- and ${400 - listed} more`);
  });

  test('names the largest categories first, and keeps to its words until the day ends or a category comes or goes', async () => {
    let now = NOW;
    const registry = await registryOf(
      [
        registration('a', { namespace: 'small' }),
        registration('a', { namespace: 'large' }),
        registration('b', { namespace: 'large' }),
      ],
      { clock: { now: () => 0, wallClock: () => now } },
    );
    const read = async () => {
      const { systemText, definition } = await registry.searchTool.describe('openai-chat');
      return JSON.stringify([systemText, definition]);
    };
    const first = await read();
    expect(first.indexOf('large:')).toBeLessThan(first.indexOf('small:'));
    await registry.register(['b', 'c', 'd'].map((name) => registration(name, { namespace: 'small' })));
    expect(await read()).toBe(first);
    // A category that comes is told of at once, with everything as it is then.
    await registry.register([registration('x', { namespace: 'new' })]);
    const second = await read();
    expect(second).not.toBe(first);
    expect(second.indexOf('small:')).toBeLessThan(second.indexOf('large:'));
    await registry.register([registration('aa', { namespace: 'small' })]);
    expect(await read()).toBe(second);
    now += DAY_MS;
    expect(await read()).not.toBe(second);
    const third = await read();
    await registry.unregister('new:x');
    expect(await read()).not.toBe(third);
  });

  test('R40: says how it searched and how it was asked to', async () => {
    const registry = await registryOf([
      registration('get_user_data'),
      registration('get_order_data'),
      registration('send_mail'),
    ]);
    const answer = async (written: object) => {
      const { page, tools } = expectOk(await registry.searchTool.answer(written, { format: 'mcp' }));
      return [page.requestedSearchType, page.searchType, tools.map((tool) => tool.id).sort()];
    };
    expect(await answer({ query: 'send mail' })).toEqual(['semantic', 'keyword', ['send_mail']]);
    expect(await answer({ query: 'mail', search_type: 'keyword' })).toEqual([
      'keyword',
      'keyword',
      ['send_mail'],
    ]);
    expect(await answer({ query: '^get_', search_type: 'regex' })).toEqual([
      'regex',
      'regex',
      ['get_order_data', 'get_user_data'],
    ]);
    expect(await answer({ query: 'get_*_data', search_type: 'regex' })).toEqual([
      'regex',
      'glob',
      ['get_order_data', 'get_user_data'],
    ]);
    // What does not compile, and what matches nothing, is read as keywords.
    expect(await answer({ query: 'send (mail', search_type: 'regex' })).toEqual([
      'regex',
      'keyword',
      ['send_mail'],
    ]);
    expect(await answer({ query: 'mail [0-9]{9}', search_type: 'regex' })).toEqual([
      'regex',
      'keyword',
      ['send_mail'],
    ]);
    // Then beginnings of words, then misspelt ones, then nothing.
    expect((await answer({ query: 'ord' }))[2]).toEqual(['get_order_data']);
    expect((await answer({ query: 'oredr' }))[2]).toEqual(['get_order_data']);
    expect((await answer({ query: 'zzzzzz' }))[2]).toEqual([]);
  });

  test('R40: takes arguments in any spelling, and scores have at most three decimals', async () => {
    const registry = await registryOf(
      Array.from({ length: 20 }, (_, n) => registration(`tool_${n}`, { tags: ['t'] })),
    );
    for (const written of [
      { query: 'handles', search_type: 'keyword', max_results: 3, category_filter: 't' },
      { query: 'handles', searchType: 'KEYWORD', maxResults: 3, categoryFilter: 'T' },
      JSON.stringify({ query: 'handles', search_type: 'Keyword', max_results: '3' }),
      { query: 'handles', search_type: 'keyword', max_results: 3, category_filter: '', more: 1 },
    ]) {
      const { tools, page, ignored } = expectOk(await registry.searchTool.answer(written, { format: 'mcp' }));
      expect([tools.length, page.requestedSearchType, ignored]).toEqual([3, 'keyword', []]);
      for (const { relevanceScore } of tools)
        expect(relevanceScore).toBe(Math.round(relevanceScore * 1_000) / 1_000);
    }
    for (const written of ['{"query":', '', {}, { query: null, max_results: 7 }, null, []]) {
      expect(await registry.searchTool.answer(written, { format: 'mcp' })).toMatchObject({
        ok: false,
        code: 'invalid_request',
      });
    }
    for (const written of ['handles', '"handles"', '["handles"]', ['handles'], { queries: { a: 'handles' } }])
      expect(expectOk(await registry.searchTool.answer(written, { format: 'mcp' })).query).toBe('handles');
    const odd = { query: 'handles', search_type: 'magic', max_results: 'many', category_filter: 7 };
    expect(expectOk(await registry.searchTool.answer(odd, { format: 'mcp' })).ignored).toEqual([
      'search_type',
      'max_results',
      'category_filter',
    ]);
  });

  test('R41: an unknown category is ignored and said, a known one is a hard filter', async () => {
    const registry = await registryOf([
      registration('send_letter', { namespace: 'post' }),
      registration('send_mail', { tags: ['office'] }),
      registration('git_push'),
    ]);
    const answer = async (category_filter: string, query = 'send push') => {
      const { tools, ignored } = expectOk(
        await registry.searchTool.answer({ query, category_filter }, { format: 'mcp' }),
      );
      return [tools.map((tool) => tool.id).sort(), ignored];
    };
    expect(await answer('post')).toEqual([['post:send_letter'], []]);
    expect(await answer('OFFICE')).toEqual([['send_mail'], []]);
    expect(await answer('git')).toEqual([['git_push'], []]);
    expect(await answer('post', 'push')).toEqual([[], []]);
    expect(await answer('nothing')).toEqual([
      ['git_push', 'post:send_letter', 'send_mail'],
      ['category_filter'],
    ]);
    // A category of tools that are out of sight is one that there is not.
    const few = registry.within(sightOf(['post']));
    const { ignored, tools } = expectOk(
      await few.searchTool.answer({ query: 'send', category_filter: 'office' }, { format: 'mcp' }),
    );
    expect([ignored, tools.map((tool) => tool.id)]).toEqual([['category_filter'], ['post:send_letter']]);
    expect(textOf(await few.searchTool.describe('mcp'))).not.toContain('office');
  });

  test.each([
    [0, 1],
    [-5, 1],
    [1, 1],
    [2.6, 3],
    [10, 10],
    [11, 10],
    [1e9, 10],
    ['7', 7],
    [undefined, 5],
    [null, 5],
    ['x', 5],
  ])('R42: max_results %j gives %i tools', async (max_results, count) => {
    const registry = await registryOf(Array.from({ length: 20 }, (_, n) => registration(`tool_${n}`)));
    const { tools } = expectOk(
      await registry.searchTool.answer({ query: 'handles', max_results }, { format: 'mcp' }),
    );
    expect(tools.length).toBe(count);
  });

  test('R43: hot tools are the most called ones of the last whole week, by name, and change with the day', async () => {
    let now = NOW;
    const registry = await registryOf(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
        registration(name, { namespace: name === 'g' ? 'theirs' : '' }),
      ),
      { clock: { now: () => 0, wallClock: () => now } },
    );
    const hot = async (view = registry) =>
      (await view.searchTool.describe('mcp')).alwaysLoaded.map(({ toolName }) => toolName);
    const call = (name: string, times: number) => registry.countCalls(Array(times).fill(name));
    expect(await hot()).toEqual([]);
    await call('b', 5);
    await call('theirs:g', 4);
    await call('c', 3);
    for (const name of ['d', 'e', 'f', 'a']) await call(name, 2);
    await registry.countCalls(['no_such']);
    expect(await hot()).toEqual([]);
    now += DAY_MS;
    // Of those with as many calls, the first by id.
    expect(await hot()).toEqual(['a', 'b', 'c', 'd', 'theirs__g']);
    await call('f', 100);
    expect(await hot()).toEqual(['a', 'b', 'c', 'd', 'theirs__g']);
    expect(await hot(registry.within(sightOf(['theirs'])))).toEqual(['theirs__g']);
    await registry.unregister('b');
    expect(await hot()).toEqual(['a', 'c', 'd', 'e', 'theirs__g']);
    now += DAY_MS;
    expect((await hot())[3]).toBe('f');
    now += 8 * DAY_MS;
    expect(await hot()).toEqual([]);
  });

  test('R24: neither hot tools nor lines of categories tell of what is out of sight', async () => {
    const registry = await registryOf(
      ['mine', 'theirs'].map((namespace) => registration(`${namespace}_mail`, { namespace, tags: ['mail'] })),
      { alwaysLoaded: ['mine:mine_mail', 'theirs:theirs_mail'] },
    );
    const describe = (namespace: string) => registry.within(sightOf([namespace])).searchTool.describe('mcp');
    const [theirs, mine] = [await describe('theirs'), await describe('mine')];
    expect(theirs.alwaysLoaded.map(({ toolName }) => toolName)).toEqual(['theirs__theirs_mail']);
    expect(mine.alwaysLoaded.map(({ toolName }) => toolName)).toEqual(['mine__mine_mail']);
    // The categories have the same names, so that only their lines tell them apart.
    expect(textOf(mine)).toContain('mine mail');
    expect(JSON.stringify(mine)).not.toContain('theirs');
    expect(JSON.stringify(theirs)).not.toContain('mine');
  });

  test('R24: hot tools that are out of sight take no places', async () => {
    let now = NOW;
    const registry = await registryOf(
      ['mine', 'theirs'].map((namespace) => registration('find', { namespace })),
      { clock: { now: () => 0, wallClock: () => now }, alwaysLoaded: { mostCalled: 1 } },
    );
    await registry.countCalls(['theirs:find', 'theirs:find', 'mine:find']);
    now += DAY_MS;
    expect(await registry.within(sightOf(['mine'])).searchTool.alwaysLoaded()).toEqual(['mine__find']);
    expect(await registry.searchTool.alwaysLoaded()).toEqual(['theirs__find']);
  });

  test('R43: hot tools can be set, as a number or by name', async () => {
    let now = NOW;
    const clock = { now: () => 0, wallClock: () => now };
    const tools = ['c', 'b', 'a'].map((name) => registration(name, { namespace: 'n' }));
    const set = await registryOf(tools, { clock, alwaysLoaded: ['n:c', 'n__a', 'no_such', 'n:a'] });
    const { alwaysLoaded } = await set.searchTool.describe('anthropic');
    expect(alwaysLoaded).toEqual([
      {
        toolName: 'n__a',
        definition: { name: 'n__a', description: 'Handles a.', input_schema: { type: 'object' } },
      },
      {
        toolName: 'n__c',
        definition: { name: 'n__c', description: 'Handles c.', input_schema: { type: 'object' } },
      },
    ]);
    expect(await set.searchTool.alwaysLoaded()).toEqual(['n__a', 'n__c']);
    const counted = await registryOf(tools, { clock, alwaysLoaded: { mostCalled: 1 } });
    await counted.countCalls(['n:a', 'n:b', 'n:b']);
    now += DAY_MS;
    expect((await counted.searchTool.describe('mcp')).alwaysLoaded.map(({ toolName }) => toolName)).toEqual([
      'n__b',
    ]);
  });

  test('R44: a result from the cache equals the one that was made but for cache and time', async () => {
    const registry = await registryOf(
      Array.from({ length: 20 }, (_, n) => registration(`tool_${n}`, { tags: ['t'] })),
    );
    const written = { query: 'handles tool', category_filter: 't' };
    const miss = expectOk(await registry.searchTool.answer(written, { format: 'gemini' }));
    const hit = expectOk(await registry.searchTool.answer(written, { format: 'gemini' }));
    expect([miss.page.cache, hit.page.cache]).toEqual(['miss', 'hit']);
    expect({ ...hit, page: { ...hit.page, cache: 'miss' } }).toEqual(miss);
    // Another type, filter or limit is another search.
    for (const other of [
      { ...written, search_type: 'keyword' },
      { query: 'handles tool' },
      { ...written, max_results: 6 },
    ]) {
      expect(expectOk(await registry.searchTool.answer(other, { format: 'gemini' })).page.cache).toBe('miss');
    }
    expect(
      expectOk(await registry.within(sightOf(['n*'])).searchTool.answer(written, { format: 'gemini' })).page
        .cache,
    ).toBe('miss');
  });

  test('names the next matches, and keeps the best two of each query before them', async () => {
    const mails = Array.from({ length: 20 }, (_, n) => `send_mail_${n}`);
    const registry = await registryOf([
      ...mails.map((name) => registration(name, { tool: { description: 'Send a mail.' } })),
      registration('weather_forecast', { tool: { description: 'The weather of tomorrow.' } }),
      registration('weather_map', {
        tool: { description: 'Draws clouds, rain and the weather on a map of a country.' },
      }),
    ]);
    const answer = async (written: object) =>
      expectOk(await registry.searchTool.answer(written, { format: 'mcp' }));
    const one = await answer({ query: 'send a mail' });
    const names = [...one.tools.map(({ modelName }) => modelName), ...one.next];
    expect([one.tools.length, one.next.length]).toEqual([5, 12]);
    expect(new Set(names)).toHaveLength(17);
    expect(names.filter((name) => !name.includes('send_mail_'))).toEqual([]);
    const two = await answer({ queries: ['send a mail', 'weather forecast of tomorrow'], max_results: 4 });
    expect(two.tools.map(({ modelName }) => modelName).sort()).toEqual(
      expect.arrayContaining(['weather_forecast', 'weather_map']),
    );
    expect(two.tools).toHaveLength(4);
    expect(two.next.filter((name) => !name.includes('send_mail_'))).toEqual([]);
    expect((await answer({ query: 'zzz qqq' })).next).toEqual([]);
  });

  test('gives the definitions of what was found in the shape that is asked for, without those that are known', async () => {
    const registry = await registryOf([
      registration('send', { namespace: 'slack', tool: { description: '', title: 'Send' } }),
    ]);
    const answer = async (format: (typeof SEARCH_TOOL_FORMATS)[number], known: string[] = []) =>
      expectOk(await registry.searchTool.answer({ query: 'slack' }, { format, known })).definitions;
    const parameters = { type: 'object' };
    const [name, description] = ['slack__send', 'Send'];
    expect(await answer('openai-chat')).toEqual([
      { type: 'function', function: { name, description, parameters } },
    ]);
    expect(await answer('openai-responses')).toEqual([
      { type: 'function', name, description, parameters, strict: false },
    ]);
    expect(await answer('anthropic')).toEqual([{ name, description, input_schema: parameters }]);
    expect(await answer('gemini')).toEqual([{ name, description, parametersJsonSchema: parameters }]);
    expect(await answer('bedrock')).toEqual([
      { toolSpec: { name, description, inputSchema: { json: parameters } } },
    ]);
    expect(await answer('mcp')).toEqual([{ name, description, inputSchema: parameters }]);
    expect(await answer('spring')).toEqual([{ name, description, inputSchema: parameters }]);
    expect(await answer('mcp', ['slack__send'])).toEqual([]);
  });
});
