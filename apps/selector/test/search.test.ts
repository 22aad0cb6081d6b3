import { describe, expect, it } from 'vitest';
import { manyTools, post, start, TOOLS } from './start.ts';

describe('POST /v1/tool-discovery/search', () => {
  it('answers with the names that fit, the best first', async () => {
    const { searchUrl } = await start();
    const { status, headers, body } = await post(searchUrl, { pattern: 'open a pull request', tools: TOOLS });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect((body.selected_names as string[])[0]).toBe('create_pull_request');
    expect(Object.keys(body)).toEqual(['selected_names']);
  });

  it('selects only names that are in the tools, also of those to keep', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, {
      pattern: 'weather',
      always_keep: ['not_there', 'send_email'],
      tools: TOOLS,
    });
    expect(body).toEqual({ selected_names: ['get_weather', 'send_email'] });
  });

  it('keeps the order of the tools among equals, and gives the same answer every time', async () => {
    const { searchUrl } = await start();
    const tools = ['c', 'a', 'b'].map((name) => ({ name, description: 'Fetch a page' }));
    const request = { pattern: 'fetch page', tools };
    const answers = [await post(searchUrl, request), await post(searchUrl, request)];
    expect(answers.map(({ body }) => body.selected_names)).toEqual([
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ]);
  });

  it('gives no more names than top_k, and five when it is not said', async () => {
    const { searchUrl } = await start();
    const tools = Array.from({ length: 8 }, (_, number) => ({
      name: `n${number}`,
      description: 'Fetch a page',
    }));
    const names = async (topK: object) => (await post(searchUrl, { pattern: 'page', tools, ...topK })).body;
    expect((await names({})).selected_names).toHaveLength(5);
    expect((await names({ top_k: 1 })).selected_names).toEqual(['n0']);
    expect((await names({ top_k: 1000 })).selected_names).toHaveLength(8);
  });

  it('keeps names inside the cap, but never in the place of the best match', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, {
      pattern: 'weather',
      top_k: 2,
      always_keep: ['send_email', 'list_issues'],
      include: ['metadata'],
      tools: TOOLS,
    });
    expect(body.selected_names).toEqual(['get_weather', 'list_issues']);
    expect(body.search_metadata).toMatchObject({ always_keep_left_out: 1 });
  });

  it('puts a tool whose name is in the pattern before all others', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, {
      pattern: 'the weather, the issues, the mail: use DELETE_BRANCH',
      tools: TOOLS,
    });
    expect((body.selected_names as string[])[0]).toBe('delete_branch');
  });

  it('says so when nothing matches, whether or not names are kept', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'qqqqqq zzzzzz', tools: TOOLS };
    expect((await post(searchUrl, request)).body).toEqual({ selected_names: [], no_match: true });
    expect((await post(searchUrl, { ...request, always_keep: ['send_email'] })).body).toEqual({
      selected_names: ['send_email'],
      no_match: true,
    });
  });

  it('answers a doubled name once', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, { pattern: 'weather', tools: [TOOLS[2], TOOLS[2], TOOLS[2]] });
    expect(body).toEqual({ selected_names: ['get_weather'] });
  });

  it.each(['', '  \n\t '])('keeps what is to be kept for a blank pattern (%j)', async (pattern) => {
    const { searchUrl } = await start();
    const { status, body } = await post(searchUrl, { pattern, always_keep: ['send_email'], tools: TOOLS });
    expect(status).toBe(200);
    expect(body).toEqual({ selected_names: ['send_email'], no_match: true });
  });

  it('answers an empty list of tools with an empty list', async () => {
    const { searchUrl } = await start();
    const { status, body } = await post(searchUrl, { pattern: 'weather', tools: [] });
    expect(status).toBe(200);
    expect(body).toEqual({ selected_names: [], no_match: true });
  });

  it.each([
    ['get_*', ['get_weather'], 'glob'],
    ['^(list|get)_', ['list_issues', 'get_weather'], 'regex'],
    ['weather', ['get_weather'], 'keyword'],
  ])('reads the pattern %s as what it is', async (pattern, names, searchType) => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, { pattern, include: ['metadata'], tools: TOOLS });
    expect(body.selected_names).toEqual(names);
    expect(body.search_metadata).toMatchObject({ search_type: searchType });
  });

  it('adds scores when they are asked for, in the order of the names', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, { pattern: 'pull request', include: ['scores'], tools: TOOLS });
    expect(body.tool_references).toEqual([
      {
        tool_name: 'create_pull_request',
        relevance_score: 1,
        summary: 'Open a new pull request.',
        matched_on: ['name', 'description'],
      },
    ]);
  });

  it('adds metadata when it is asked for', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, { pattern: 'branch', include: ['metadata'], tools: TOOLS });
    expect(body.search_metadata).toEqual({
      search_type: 'keyword',
      total_matches: 2,
      execution_time_ms: expect.any(Number),
      index: 'built',
      always_keep_left_out: 0,
    });
  });

  it('finds a tool by its parameters', async () => {
    const { searchUrl } = await start();
    const definition = { input_schema: { type: 'object', properties: { sepia: { type: 'number' } } } };
    const { body } = await post(searchUrl, {
      pattern: 'sepia',
      tools: [...TOOLS, { name: 'x', definition }],
    });
    expect(body).toEqual({ selected_names: ['x'] });
  });

  it('ignores fields that it does not know, and nulls where the contract allows them', async () => {
    const { searchUrl } = await start();
    const tools = [{ name: 'get_weather', description: null, definition: null, colour: 'blue' }];
    const { body } = await post(searchUrl, { pattern: 'weather', verbose: true, tools });
    expect(body).toEqual({ selected_names: ['get_weather'] });
  });

  it('gives names back letter by letter, lone surrogates and all', async () => {
    const { searchUrl } = await start();
    const names = ['naïve_工具', 'half_\ud83d', '__proto__', 'constructor', ' spaced '];
    const tools = names.map((name) => ({ name, description: 'Fetch a page' }));
    const { body } = await post(searchUrl, { pattern: 'fetch page', tools });
    expect([...(body.selected_names as string[])].sort()).toEqual([...names].sort());
  });

  it('is not fooled by keys that JavaScript treats in its own way', async () => {
    const { searchUrl } = await start();
    const text =
      '{"__proto__":{"tools":[]},"constructor":1,"pattern":"weather","tools":[{"name":"get_weather","__proto__":{"name":5}}]}';
    expect((await post(searchUrl, text)).body).toEqual({ selected_names: ['get_weather'] });
  });

  it('lets the last of two tools members win, as JSON parsers do, also for known tools', async () => {
    const { searchUrl } = await start();
    const first = JSON.stringify([TOOLS[2]]);
    const text = `{"pattern":"weather branch","tools":${first},"tools":[{"name":"delete_branch"}]}`;
    await post(searchUrl, `{"pattern":"weather","tools":${first}}`);
    expect((await post(searchUrl, text)).body).toEqual({ selected_names: ['delete_branch'] });
    expect((await post(searchUrl, text)).body).toEqual({ selected_names: ['delete_branch'] });
  });
});

describe('with the ranker wink', () => {
  it.each([
    ['a small catalogue', TOOLS],
    ['a catalogue of one tool', [TOOLS[2]]],
    ['a large catalogue, which cannot come from a worker', [...manyTools(300), ...TOOLS]],
  ])('searches %s', async (_, tools) => {
    const { searchUrl } = await start({ ranker: 'wink' });
    const { body } = await post(searchUrl, { pattern: 'current weather', top_k: 1, tools });
    expect(body).toEqual({ selected_names: ['get_weather'] });
  });
});

describe('tools that were seen before', () => {
  const indexOf = ({ body }: { body: Record<string, unknown> }) =>
    (body.search_metadata as { index: string }).index;

  it('are not built again, whatever else the request says', async () => {
    const { searchUrl } = await start();
    const tools = JSON.stringify(TOOLS);
    const bodies = [
      `{"pattern":"weather","include":["metadata"],"tools":${tools}}`,
      `{"tools":${tools},"include":["metadata"],"pattern":"branch"}`,
      ` {"top_k":1 ,"tools": ${tools} , "pattern":"mail","include":["metadata"] } `,
    ];
    const answers = [];
    for (const body of bodies) answers.push(await post(searchUrl, body));
    expect(answers.map(indexOf)).toEqual(['built', 'cached', 'cached']);
    expect(answers.map(({ body }) => (body.selected_names as string[])[0])).toEqual([
      'get_weather',
      'delete_branch',
      'send_email',
    ]);
  });

  it.each([
    ['a name', (tools: string) => tools.replace('get_weather', 'get_weathex')],
    ['a description', (tools: string) => tools.replace('Remove a branch', 'Remove a brancx')],
    ['the definition of one', (tools: string) => tools.replace('"maxLength":5', '"maxLength":6')],
    ['the order', (tools: string) => JSON.stringify(JSON.parse(tools).reverse())],
  ])('are built again when %s differs', async (_, change) => {
    const { searchUrl } = await start();
    const definition = { parameters: { properties: { a: { maxLength: 5 } } } };
    const tools = JSON.stringify([...TOOLS, { name: 'x', definition }]);
    const request = (text: string) => `{"pattern":"weather","include":["metadata"],"tools":${text}}`;
    await post(searchUrl, request(tools));
    expect(change(tools)).not.toBe(tools);
    expect(indexOf(await post(searchUrl, request(change(tools))))).toBe('built');
  });

  it('still get an error for the rest of the request', async () => {
    const { searchUrl } = await start();
    const tools = JSON.stringify(TOOLS);
    await post(searchUrl, `{"pattern":"x","tools":${tools}}`);
    const code = async (text: string) => ((await post(searchUrl, text)).body.error as { code: string }).code;
    expect(await code(`{"tools":${tools}}`)).toBe('invalid_request');
    expect(await code(`{"pattern":5,"tools":${tools}}`)).toBe('invalid_request');
    expect(await code(`{"pattern":"x","tools":${tools}`)).toBe('invalid_json');
    expect(await code(`{"pattern":"x","tools":${tools}}}`)).toBe('invalid_json');
    expect(await code(`{"pattern":"x","tools":${tools}]`)).toBe('invalid_json');
    expect(await code(`{"pattern":"x","tools":${tools},}`)).toBe('invalid_json');
    expect(await code(`{"pattern":"x" "tools":${tools}}`)).toBe('invalid_json');
  });
});
