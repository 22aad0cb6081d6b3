import { describe, expect, it } from 'vitest';
import { manyTools, post, start, TOOLS } from './start.ts';

describe('POST /v1/tool-discovery/search', () => {
  it('returns the matching names, best first', async () => {
    const { searchUrl } = await start();
    const { status, headers, body } = await post(searchUrl, { pattern: 'open a pull request', tools: TOOLS });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect((body.selected_names as string[])[0]).toBe('create_pull_request');
    expect(Object.keys(body)).toEqual(['selected_names']);
  });

  it('ranks with the ranker that the settings name, by its tokens and by expressions', async () => {
    const scores = async (ranker: 'bm25' | 'wink', pattern: string) => {
      const { searchUrl } = await start({ ranker });
      const { body } = await post(searchUrl, { pattern, include: ['scores'], tools: TOOLS });
      return body.tool_references as { tool_name: string; relevance_score: number }[];
    };
    const [bm25, wink] = [await scores('bm25', 'issue branch'), await scores('wink', 'issue branch')];
    const names = (references: typeof bm25) => references.map(({ tool_name }) => tool_name).toSorted();
    expect(names(wink)).toEqual(names(bm25));
    expect(wink).not.toEqual(bm25);
    expect((await scores('wink', '^get_.*')).map(({ tool_name }) => tool_name)).toEqual(['get_weather']);
  });

  it('takes several patterns, and says what each finds', async () => {
    const { searchUrl } = await start();
    const search = (more: object) => post(searchUrl, { tools: TOOLS, top_k: 3, ...more });
    const patterns = ['open a pull request', 'zeppelin', 'weather'];
    const { status, body } = await search({ pattern: 'ignored', patterns, include: ['scores'] });
    expect(status).toBe(200);
    expect(body.selected_names).toEqual(expect.arrayContaining(['create_pull_request', 'get_weather']));
    expect(body).not.toHaveProperty('certainty');
    expect(body.by_pattern).toEqual([
      { selected_names: expect.arrayContaining(['create_pull_request']) },
      { selected_names: [], certainty: 'none', unknown_words: ['zeppelin'] },
      { selected_names: ['get_weather'] },
    ]);
    expect((await search({ patterns: ['weather'] })).body).toEqual(
      (await search({ pattern: 'weather' })).body,
    );
    expect((await search({ patterns: ['zeppelin', 'qqq'] })).body).toMatchObject({
      ...{ selected_names: [], no_match: true, certainty: 'none', unknown_words: ['zeppelin', 'qqq'] },
    });
    for (const [more, path] of [
      [{}, 'pattern'],
      [{ patterns: [] }, 'patterns'],
      [{ patterns: Array(17).fill('x') }, 'patterns'],
      [{ patterns: ['x', 7] }, 'patterns.1'],
      [{ patterns: ['x', 'y'], explain: ['get_weather'] }, 'explain'],
      [{ patterns: ['x', 'y'], query_vector: [1] }, 'query_vector'],
    ] as const) {
      const refused = await search(more);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ error: { details: [{ path }] } });
    }
  });

  it.each([
    ['on the spot', 0],
    ['in slices', 300],
  ])('takes tools as any provider writes them, built %s', async (_, others) => {
    const { searchUrl } = await start();
    const schema = { type: 'object', properties: { assignee: { type: 'string' } } };
    const told = (name: string) => ({ name, description: 'Does something' });
    const tools = [
      { type: 'function', function: { ...told('chat'), parameters: schema } },
      { type: 'function', ...told('responses'), parameters: schema },
      { ...told('messages'), input_schema: schema },
      { ...told('mcp'), inputSchema: schema },
      { ...told('gemini'), parametersJsonSchema: schema },
      { toolSpec: { ...told('converse'), inputSchema: { json: schema } } },
      { name: 'contract', definition: { toolSpec: { ...told('other'), inputSchema: { json: schema } } } },
      ...manyTools(others),
    ];
    const { status, body } = await post(searchUrl, { pattern: 'assignee', top_k: 10, tools });
    expect(status).toBe(200);
    expect((body.selected_names as string[]).toSorted()).toEqual([
      'chat',
      'contract',
      'converse',
      'gemini',
      'mcp',
      'messages',
      'responses',
    ]);
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

  it('explains any tool of the request, selected or not, also when the tools are known', async () => {
    const { searchUrl } = await start();
    const request = {
      pattern: 'open a pull request by email',
      top_k: 1,
      explain: ['send_email', 'get_weather', 'not_there', 'create_pull_request'],
    };
    const bodies = [
      await post(searchUrl, { ...request, tools: TOOLS, catalog_id: 'mine' }),
      await post(searchUrl, { ...request, catalog_id: 'mine' }),
    ].map(({ body }) => body);
    expect(bodies[0]).toEqual(bodies[1]);
    const [email, weather, pull] = bodies[0]!.explanations as Record<string, unknown>[];
    expect(bodies[0]!.explanations).toHaveLength(3);
    expect(pull).toMatchObject({
      name: 'create_pull_request',
      rank: 1,
      score: 1,
      matched: ['open', 'pull', 'request'],
    });
    expect(email).toMatchObject({ name: 'send_email', rank: 2, matched: ['email'] });
    expect(email!.missing).toContain('pull');
    expect(email!.score).toBe(Number((email!.score as number).toFixed(3)));
    expect(weather).toMatchObject({ name: 'get_weather', rank: null, score: 0, matched: [] });
  });

  it('explains at most 20 names', async () => {
    const { searchUrl } = await start();
    const explain = Array.from({ length: 21 }, (_, at) => `t${at}`);
    const { status, body } = await post(searchUrl, { pattern: 'weather', tools: TOOLS, explain });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ path: 'explain' }] });
  });

  it('keeps the order of the tools among equals, and always gives the same response', async () => {
    const { searchUrl } = await start();
    const tools = ['c', 'a', 'b'].map((name) => ({ name, description: 'Fetch a page' }));
    const request = { pattern: 'fetch page', tools };
    const responses = [await post(searchUrl, request), await post(searchUrl, request)];
    expect(responses.map(({ body }) => body.selected_names)).toEqual([
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ]);
  });

  it('returns at most top_k names, five by default', async () => {
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

  it('keeps names within top_k, but never in place of the best match', async () => {
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

  it('says so when the matches share little with the pattern, and which words no tool contains', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'get rocket telemetry', tools: TOOLS };
    const { body } = await post(searchUrl, { ...request, include: ['scores'] });
    expect(body).toMatchObject({
      certainty: 'weak',
      unknown_words: ['rocket', 'telemetry'],
    });
    expect(body).not.toHaveProperty('no_match');
    expect((await post(searchUrl, { ...request, pattern: 'email' })).body).not.toHaveProperty('certainty');
  });

  it('says so when nothing matches, whether or not names are kept', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'qqqqqq zzzzzz', tools: TOOLS };
    const told = { no_match: true, certainty: 'none', unknown_words: ['qqqqqq', 'zzzzzz'] };
    expect((await post(searchUrl, request)).body).toEqual({ selected_names: [], ...told });
    expect((await post(searchUrl, { ...request, always_keep: ['send_email'] })).body).toEqual({
      selected_names: ['send_email'],
      ...told,
    });
  });

  it('returns a duplicate name once', async () => {
    const { searchUrl } = await start();
    const { body } = await post(searchUrl, { pattern: 'weather', tools: [TOOLS[2], TOOLS[2], TOOLS[2]] });
    expect(body).toEqual({ selected_names: ['get_weather'] });
  });

  it.each(['', '  \n\t '])('keeps what is to be kept for a blank pattern (%j)', async (pattern) => {
    const { searchUrl } = await start();
    const { status, body } = await post(searchUrl, { pattern, always_keep: ['send_email'], tools: TOOLS });
    expect(status).toBe(200);
    expect(body).toEqual({ selected_names: ['send_email'], no_match: true, certainty: 'none' });
  });

  it('returns an empty list for an empty list of tools', async () => {
    const { searchUrl } = await start();
    const { status, body } = await post(searchUrl, { pattern: 'weather', tools: [] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ selected_names: [], no_match: true, certainty: 'none' });
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
        confidence: expect.closeTo(0.97, 1),
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

  it('gives numbers with three decimals at most', async () => {
    let now = 0;
    // Every look at this clock takes a time that has more decimals.
    const { searchUrl } = await start({}, { now: () => (now += 0.123_456_7) });
    const { body } = await post(searchUrl, {
      pattern: 'list branch issues of the current weather',
      include: ['scores', 'metadata'],
      tools: TOOLS,
    });
    const references = body.tool_references as { relevance_score: number }[];
    const { execution_time_ms: elapsed } = body.search_metadata as { execution_time_ms: number };
    const numbers = [elapsed, ...references.map(({ relevance_score: score }) => score)];
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers.filter((number) => !/^\d+(\.\d{1,3})?$/.test(String(number)))).toEqual([]);
    expect(elapsed % 1).not.toBe(0);
  });

  it('reads a name with wildcards as a glob when a regular expression is requested', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'get_*ther', search_type: 'regex', include: ['metadata'], tools: TOOLS };
    const { body } = await post(searchUrl, request);
    expect(body.selected_names).toEqual(['get_weather']);
    expect(body.search_metadata).toMatchObject({ search_type: 'glob' });
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
    const responses = [];
    for (const body of bodies) responses.push(await post(searchUrl, body));
    expect(responses.map(indexOf)).toEqual(['built', 'cached', 'cached']);
    expect(responses.map(({ body }) => (body.selected_names as string[])[0])).toEqual([
      'get_weather',
      'delete_branch',
      'send_email',
    ]);
  });

  it.each([
    ['small', TOOLS],
    ['large', manyTools(300)],
  ])('are not said to be known to a token that has not sent them: %s', async (_, tools) => {
    const { searchUrl, logs } = await start({ tokens: ['one', 'two'] });
    const request = { pattern: 'weather', include: ['metadata'], tools };
    const by = async (token: string, body: object) => {
      const response = await post(searchUrl, body, { authorization: `Bearer ${token}` });
      const desc = /index;desc=(\w+)/.exec(response.headers.get('server-timing') ?? '')?.[1];
      return [indexOf(response), desc];
    };
    expect(await by('one', request)).toEqual(['built', 'built']);
    expect(await by('two', request)).toEqual(['built', 'built']);
    expect(await by('one', request)).toEqual(['cached', 'cached']);
    expect(await by('two', { ...request, catalog_id: 'mine' })).toEqual(['cached', 'cached']);
    const { tools: __, ...byId } = { ...request, catalog_id: 'mine' };
    expect(await by('two', byId)).toEqual(['cached', 'cached']);
    // The operator sees what happened.
    expect(logs().map(({ index }) => index)).toEqual(['built', 'cached', 'cached', 'cached', 'cached']);
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
