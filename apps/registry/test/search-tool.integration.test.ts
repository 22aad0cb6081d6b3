import { describe, expect, test } from 'vitest';
import { ask, NOW, register, start, tool } from './start.ts';

const DAY_MS = 86_400_000;

describe('the search tool over HTTP', () => {
  test('R40: a call is answered with references, totals, metadata and definitions, and says how it was read', async () => {
    const { api } = await start();
    await register({ api }, [
      tool('create_issue', { namespace: 'jira', description: 'Create an issue in Jira.' }),
      tool('send_message', { namespace: 'slack', description: 'Send a message to a Slack channel.' }),
    ]);
    const search = (body: object) => ask('POST', `${api}/search-tool/search`, body);
    const { body } = await search({ format: 'anthropic', arguments: '{"query":"create an issue"}' });
    expect(body).toEqual({
      tool_references: [
        {
          tool_name: 'jira__create_issue',
          id: 'jira:create_issue',
          namespace: 'jira',
          relevance_score: 1,
          summary: 'Create an issue in Jira.',
          matched_on: ['name', 'description'],
        },
      ],
      total_matches: 1,
      search_metadata: {
        search_type: 'keyword',
        requested_search_type: 'semantic',
        query: 'create an issue',
        execution_time_ms: expect.any(Number),
        cache: 'miss',
        version: 1,
      },
      definitions: [
        {
          name: 'jira__create_issue',
          description: 'Create an issue in Jira.',
          input_schema: { type: 'object' },
        },
      ],
    });
    const known = await search({ arguments: { query: 'create an issue' }, known: ['jira__create_issue'] });
    expect(known.body).toMatchObject({ definitions: [], tool_references: [{ id: 'jira:create_issue' }] });
    for (const body of [
      { arguments: {} },
      { arguments: '{' },
      { arguments: { query: 'x' }, format: 'cobol' },
      {},
    ]) {
      const { status, body: refusal } = await search(body);
      expect([status, (refusal.error as { code: string }).code]).toEqual([400, 'invalid_request']);
    }
  });

  test('weak matches are named, and their definitions are not added to the tools', async () => {
    const { api } = await start();
    await register({ api }, [tool('send_message', { description: 'Display a message in a channel.' })]);
    const search = async (query: string) =>
      (await ask('POST', `${api}/search-tool/search`, { arguments: { query } })).body;
    expect(await search('display launch rocket')).toMatchObject({
      tool_references: [{ id: 'send_message' }],
      certainty: 'weak',
      unknown_words: ['launch', 'rocket'],
      definitions: [],
    });
    expect(await search('send_message')).toMatchObject({ definitions: [{}] });
  });

  test('R41: an unknown category is ignored and said, a known one is a hard filter', async () => {
    const { api } = await start();
    await register({ api }, [tool('a', { namespace: 'one' }), tool('a', { namespace: 'two' })]);
    const search = async (category_filter: string) => {
      const { body } = await ask('POST', `${api}/search-tool/search`, {
        arguments: { query: 'handles', category_filter },
      });
      const { ignored } = body.search_metadata as { ignored?: string[] };
      return [(body.tool_references as { id: string }[]).map(({ id }) => id), ignored];
    };
    expect(await search('two')).toEqual([['two:a'], undefined]);
    expect(await search('three')).toEqual([['one:a', 'two:a'], ['category_filter']]);
  });

  test('R42: max_results is brought into its range', async () => {
    const { api } = await start();
    await register(
      { api },
      Array.from({ length: 20 }, (_, n) => tool(`t${n}`)),
    );
    for (const [maxResults, count] of [
      [0, 1],
      [100, 10],
      ['4', 4],
    ]) {
      const { status, body } = await ask('POST', `${api}/search-tool/search`, {
        arguments: { query: 'handles', maxResults },
      });
      expect([status, (body.tool_references as unknown[]).length]).toEqual([200, count]);
    }
  });

  test('R43: hot tools are counted from usage, and listed with their definitions from the next day on', async () => {
    let now = NOW;
    const { api } = await start({}, { wallClock: () => now });
    await register({ api }, [tool('a'), tool('b')]);
    await ask('POST', `${api}/usage`, { ids: ['b', 'b', 'no_such'] });
    const read = () => ask('GET', `${api}/search-tool?format=bedrock`);
    const first = await read();
    expect(first.body).toMatchObject({ format: 'bedrock', always_loaded: [], version: 1 });
    now += DAY_MS;
    expect((await read()).body.always_loaded).toEqual([
      {
        tool_name: 'b',
        definition: {
          toolSpec: { name: 'b', description: 'Handles b.', inputSchema: { json: { type: 'object' } } },
        },
      },
    ]);
  });

  test('R44: a result from the cache equals the one that was made but for cache and time', async () => {
    const { api } = await start();
    await register({ api }, [tool('a'), tool('b')]);
    const search = async () => {
      const { body } = await ask('POST', `${api}/search-tool/search`, { arguments: { query: 'handles' } });
      const { cache, execution_time_ms: _, ...metadata } = body.search_metadata as Record<string, unknown>;
      return [cache, { ...body, search_metadata: metadata }];
    };
    const [miss, made] = await search();
    const [hit, kept] = await search();
    expect([miss, hit]).toEqual(['miss', 'hit']);
    expect(kept).toEqual(made);
  });

  test('the texts for models have an ETag, and stay the same until they have to change', async () => {
    const { api } = await start();
    await register({ api }, [tool('a', { namespace: 'n' })]);
    const first = await ask('GET', `${api}/search-tool`);
    expect(first.body).toMatchObject({
      format: 'openai-chat',
      definition: { function: { name: 'tool_search_tool' } },
    });
    expect(first.body.system_text).toContain('- n: a');
    const etag = first.headers.get('etag')!;
    await register({ api }, [tool('b', { namespace: 'n' })]);
    expect((await ask('GET', `${api}/search-tool`, undefined, { 'if-none-match': etag })).status).toBe(304);
    await register({ api }, [tool('b', { namespace: 'm' })]);
    expect((await ask('GET', `${api}/search-tool`, undefined, { 'if-none-match': etag })).status).toBe(200);
    expect((await ask('GET', `${api}/search-tool?format=cobol`)).status).toBe(400);
  });

  test('several definitions come in the shape that is asked for', async () => {
    const { api } = await start();
    await register({ api }, [tool('a')]);
    const { body } = await ask('POST', `${api}/expand`, { ids: ['a', 'b'], format: 'gemini' });
    expect(body).toMatchObject({
      tools: [{ tool_name: 'a', definition: { name: 'a', parametersJsonSchema: { type: 'object' } } }],
      unknown: ['b'],
    });
  });
});
