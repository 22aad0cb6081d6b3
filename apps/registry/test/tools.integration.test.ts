import { describe, expect, test } from 'vitest';
import { ask, register, start, tool } from './start.ts';

const errorOf = (body: Record<string, unknown>) =>
  body.error as { code: string; message: string; details?: { path: string; message: string }[] };

describe('registering over HTTP', () => {
  test('R2: a tool that is not allowed is invalid_tool, with the place of every problem', async () => {
    const { api } = await start();
    const { status, body } = await ask('PUT', `${api}/tools`, {
      tools: [tool('fine'), tool('bad name', { namespace: 'Upper' }), { tool: 7 }, null],
    });
    expect(status).toBe(400);
    const { code, details = [] } = errorOf(body);
    expect(code).toBe('invalid_tool');
    expect(details.map((detail) => detail.path)).toEqual([
      'tools.1.tool.name',
      'tools.1.namespace',
      'tools.2.tool',
      'tools.2.backend',
      'tools.3',
    ]);
    expect((await ask('GET', `${api}/stats`)).body).toMatchObject({ version: 0, tools: 0 });
  });

  test('R2: texts with half a surrogate pair are refused, whole ones kept', async () => {
    const { api } = await start();
    const bad = `{"tools":[{"tool":{"name":"x","description":"\\ud83c","inputSchema":{}},"backend":{"kind":"local","handler":"x"}}]}`;
    expect((await ask('PUT', `${api}/tools`, bad)).status).toBe(400);
    const good = bad.replace('\\ud83c', '\\ud83c\\udf9f');
    expect((await ask('PUT', `${api}/tools`, good)).status).toBe(200);
    expect((await ask('GET', `${api}/tools/x?detail=schema`)).body).toMatchObject({
      definition: { description: '🎟' },
    });
  });

  test('R4: a backend with an empty field is invalid_backend', async () => {
    const { api } = await start();
    const tools = [tool('x', { backend: { kind: 'provider', provider: 'acme', tool: '' } })];
    const { status, body } = await ask('PUT', `${api}/tools`, { tools });
    expect([status, errorOf(body).code, errorOf(body).details?.[0]?.path]).toEqual([
      400,
      'invalid_backend',
      'tools.0.backend.tool',
    ]);
  });

  test('R5: a definition that differs is tool_conflict, naming the fields', async () => {
    const { api } = await start();
    await register({ api }, [tool('x')]);
    const other = tool('x', { title: 'X', description: 'Other', backend: { kind: 'mcp', server: 's' } });
    const { status, body } = await ask('PUT', `${api}/tools`, { tools: [other] });
    expect([status, errorOf(body).code]).toEqual([409, 'tool_conflict']);
    expect(errorOf(body).message).toBe('Another backend registered x with a different title, description.');
  });

  test('R7: a batch is all or nothing, and a dry run says what would happen', async () => {
    const { api } = await start();
    expect(await register({ api }, [tool('a'), tool('b')])).toEqual({
      version: 1,
      registered: 2,
      updated: 0,
      unchanged: 0,
    });
    const tools = [tool('a'), tool('b', { tags: ['t'] }), tool('c', { namespace: 'n' })];
    expect((await ask('PUT', `${api}/tools`, { dry_run: true, tools })).body).toEqual({
      version: 1,
      registered: 1,
      updated: 1,
      unchanged: 1,
      dry_run: true,
      tools: [
        { id: 'a', tool_name: 'a', effect: 'unchanged' },
        { id: 'b', tool_name: 'b', effect: 'updated' },
        { id: 'n:c', tool_name: 'n__c', effect: 'registered' },
      ],
    });
    expect((await ask('GET', `${api}/stats`)).body).toMatchObject({ version: 1, tools: 2 });
    expect(await register({ api }, tools)).toEqual({ version: 2, registered: 1, updated: 1, unchanged: 1 });
  });

  test('R7: If-Match binds a change to a version', async () => {
    const { api } = await start();
    await register({ api }, [tool('a')]);
    const put = (ifMatch: string) =>
      ask('PUT', `${api}/tools`, { tools: [tool('b')] }, { 'if-match': ifMatch });
    expect(errorOf((await put('"0"')).body).code).toBe('version_mismatch');
    expect((await put('"0"')).status).toBe(409);
    expect((await put('one')).status).toBe(400);
    expect((await put('"1"')).status).toBe(200);
    expect((await put('*')).status).toBe(200);
    const remove = await ask('DELETE', `${api}/tools/a`, undefined, { 'if-match': '1' });
    expect(remove.status).toBe(409);
  });

  test.each([
    ['no tools', { tools: [] }, 'invalid_request', 400],
    ['no list', { tools: {} }, 'invalid_request', 400],
    ['no object', 7, 'invalid_request', 400],
    [
      'more than 1,000',
      { tools: Array.from({ length: 1_001 }, (_, n) => tool(`t${n}`)) },
      'limit_exceeded',
      413,
    ],
    ['no JSON', '{"tools":', 'invalid_json', 400],
    ['no body', '', 'invalid_json', 400],
  ])('a request with %s is refused', async (_, sent, code, status) => {
    const { api } = await start();
    const { status: given, body } = await ask('PUT', `${api}/tools`, sent);
    expect([given, errorOf(body).code]).toEqual([status, code]);
  });
});

describe('removing over HTTP', () => {
  test('R11: a backend goes, then with the last one the tool, and with it its namespace', async () => {
    const { api } = await start();
    const mcp = { kind: 'mcp', server: 'a:b' };
    await register({ api }, [tool('x', { namespace: 'n' }), tool('x', { namespace: 'n', backend: mcp })]);
    const remove = (backend: unknown) =>
      ask('DELETE', `${api}/tools/n:x?backend=${encodeURIComponent(JSON.stringify(backend))}`);
    expect((await remove(mcp)).body).toEqual({ version: 2, updated: 1, removed: 0, unchanged: 0 });
    expect((await remove({ kind: 'local', handler: 'x' })).body).toEqual({
      version: 3,
      updated: 0,
      removed: 1,
      unchanged: 0,
    });
    expect((await ask('GET', `${api}/namespaces`)).body).toEqual({ namespaces: [], version: 3 });
  });

  test('R12: missing tools are not_found', async () => {
    const { api } = await start();
    await register({ api }, [tool('x')]);
    const missing = [
      ask('GET', `${api}/tools/y`),
      ask('DELETE', `${api}/tools/y`),
      ask('DELETE', `${api}/tools/x?backend=${encodeURIComponent('{"kind":"mcp","server":"s"}')}`),
      ask('PUT', `${api}/tools/y/examples`, { examples: [] }),
      ask('GET', `${api}/tools/%00`),
      ask('GET', `${api}/tools/..%2Fx`),
    ];
    for (const { status, body } of await Promise.all(missing)) {
      expect([status, errorOf(body).code]).toEqual([404, 'not_found']);
    }
    const { status, body } = await ask('DELETE', `${api}/tools/x?backend=mcp`);
    expect([status, errorOf(body).code]).toEqual([400, 'invalid_backend']);
  });
});

describe('reading over HTTP', () => {
  test('R14: the default backend is the local one', async () => {
    const backends = [
      { kind: 'mcp', server: 's' },
      { kind: 'local', handler: 'x' },
    ];
    const { api } = await start();
    await register(
      { api },
      backends.map((backend) => tool('x', { backend })),
    );
    const { body } = await ask('GET', `${api}/tools/x?detail=full`);
    expect(body).toMatchObject({ backends, default_backend: backends[1] });
  });

  test('R16: lists and searches give summaries, and schemas when they are asked for', async () => {
    const { api } = await start();
    await register({ api }, [
      tool('x', {
        description: 'Opens an issue. It needs a project.',
        title: 'X',
        annotations: { readOnlyHint: true },
      }),
    ]);
    expect((await ask('GET', `${api}/tools`)).body).toEqual({
      tools: [
        {
          id: 'x',
          tool_name: 'x',
          name: 'x',
          title: 'X',
          summary: 'Opens an issue.',
          tags: [],
          annotations: { readOnlyHint: true },
        },
      ],
      version: 1,
    });
    const search = (include: string[]) => ask('POST', `${api}/search`, { query: 'issue', include });
    expect((await search([])).body).toEqual({
      tool_references: [
        {
          tool_name: 'x',
          id: 'x',
          relevance_score: 1,
          summary: 'Opens an issue.',
          matched_on: ['description'],
        },
      ],
      total_matches: 1,
    });
    const { body } = await search(['schemas']);
    expect(body.tool_references).toMatchObject([
      { definition: { name: 'x', inputSchema: { type: 'object' } } },
    ]);
  });

  test('R29: a list continues where its cursor says, and filters by namespace, tag and server', async () => {
    const { api } = await start();
    await register({ api }, [
      tool('a', { namespace: 'n', tags: ['t'] }),
      tool('b', { namespace: 'n', backend: { kind: 'mcp', server: 's' } }),
      tool('c'),
    ]);
    const idsOf = async (query: string) => {
      const { body } = await ask('GET', `${api}/tools?${query}`);
      return [(body.tools as { id: string }[]).map(({ id }) => id), body.next_cursor] as const;
    };
    const [first, cursor] = await idsOf('page_size=2');
    expect(first).toEqual(['c', 'n:a']);
    expect(await idsOf(`page_size=2&cursor=${cursor}`)).toEqual([['n:b'], undefined]);
    expect((await idsOf('namespace=n'))[0]).toEqual(['n:a', 'n:b']);
    expect((await idsOf('namespace='))[0]).toEqual(['c']);
    expect((await idsOf('tag=T'))[0]).toEqual(['n:a']);
    expect((await idsOf('server=s'))[0]).toEqual(['n:b']);
    for (const query of ['page_size=0', 'page_size=101', 'page_size=ten']) {
      expect((await ask('GET', `${api}/tools?${query}`)).status).toBe(400);
    }
  });

  test('R30: a cursor of anything else is invalid_cursor', async () => {
    const { api } = await start();
    await register({ api }, [tool('a'), tool('b')]);
    const { body } = await ask('GET', `${api}/tools?page_size=1`);
    for (const url of [
      `${api}/namespaces?cursor=${body.next_cursor}`,
      `${api}/tools?tag=t&cursor=${body.next_cursor}`,
      `${api}/tools?cursor=x`,
    ]) {
      const { status, body: refusal } = await ask('GET', url);
      expect([status, errorOf(refusal).code]).toEqual([400, 'invalid_cursor']);
    }
  });

  test('R69: each level of detail tells more, and an unknown one is refused', async () => {
    const { api } = await start();
    await register({ api }, [tool('x', { namespace: 'n', version: '2', outputSchema: {} })]);
    const read = async (detail: string) => (await ask('GET', `${api}/tools/n:x?detail=${detail}`)).body;
    expect(await read('summary')).toEqual({
      id: 'n:x',
      tool_name: 'n__x',
      namespace: 'n',
      name: 'x',
      summary: 'Handles x.',
      tags: [],
      version: '2',
    });
    expect(await read('schema')).toMatchObject({
      ...(await read('summary')),
      definition: { outputSchema: {} },
    });
    expect(await read('full')).toMatchObject({
      ...(await read('schema')),
      backends: [{ handler: 'x' }],
      usage: { calls: 0 },
    });
    expect((await ask('GET', `${api}/tools/n__x?detail=everything`)).status).toBe(400);
    expect((await ask('GET', `${api}/tools/n__x`)).body).toEqual(await read('schema'));
  });

  test('R69: the ETag of a tool is the hash of its content', async () => {
    const { api } = await start();
    await register({ api }, [tool('x')]);
    const first = await ask('GET', `${api}/tools/x`);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await ask('GET', `${api}/tools/x`, undefined, { 'if-none-match': etag })).status).toBe(304);
    await register({ api }, [tool('x', { tags: ['t'] })]);
    const second = await ask('GET', `${api}/tools/x`, undefined, { 'if-none-match': etag });
    expect([second.status, second.headers.get('etag') === etag]).toEqual([200, false]);
  });

  test('R70: examples are checked against the schema and shown with the full detail', async () => {
    const { api } = await start();
    await register({ api }, [tool('x', { inputSchema: { required: ['q'] } })]);
    const good = { title: 'One', arguments: { q: 1 }, result_hint: 'a number' };
    const put = (examples: unknown) => ask('PUT', `${api}/tools/x/examples`, { examples });
    expect((await put([good])).body).toEqual({ version: 2, updated: 1, removed: 0, unchanged: 0 });
    expect((await ask('GET', `${api}/tools/x?detail=full`)).body).toMatchObject({ examples: [good] });
    const { status, body } = await put([good, { title: 'Two', arguments: {} }]);
    expect([status, errorOf(body).code, errorOf(body).details?.[0]?.path]).toEqual([
      400,
      'invalid_example',
      'examples.1.arguments',
    ]);
    expect((await put(Array(6).fill(good))).status).toBe(413);
    expect((await put([7])).status).toBe(400);
  });

  test('several definitions come at once, and unknown names are said', async () => {
    const { api } = await start();
    await register({ api }, [tool('a', { namespace: 'n', tags: ['x'] }), tool('b')]);
    expect((await ask('POST', `${api}/expand`, { ids: ['n__a', 'b', 'c'] })).body).toEqual({
      tools: [
        {
          id: 'n:a',
          tool_name: 'n__a',
          namespace: 'n',
          name: 'a',
          summary: 'Handles a.',
          tags: ['x'],
          definition: tool('a').tool,
        },
        {
          id: 'b',
          tool_name: 'b',
          name: 'b',
          summary: 'Handles b.',
          tags: [],
          definition: tool('b').tool,
        },
      ],
      unknown: ['c'],
      version: 1,
    });
    expect((await ask('POST', `${api}/expand`, { ids: Array(51).fill('b') })).status).toBe(413);
  });

  test('R16: a list gives definitions when they are asked for, and refuses what it does not know', async () => {
    const { api } = await start();
    await register({ api }, [tool('a'), tool('b')]);
    const listed = async (query: string) =>
      (await ask('GET', `${api}/tools${query}`)).body.tools as { definition?: unknown }[];
    expect((await listed('')).map(({ definition }) => definition)).toEqual([undefined, undefined]);
    expect((await listed('?include=schemas')).map(({ definition }) => definition)).toEqual([
      tool('a').tool,
      tool('b').tool,
    ]);
    expect((await ask('GET', `${api}/tools?include=schema`)).status).toBe(400);
  });

  test('R7: several problems are counted, and the first is given with its place', async () => {
    const { api } = await start();
    const flat = { name: 'a', description: 'Forgot what goes around it.' };
    const { body } = await ask('PUT', `${api}/tools`, { tools: [tool('b'), flat] });
    expect(body).toMatchObject({
      error: {
        code: 'invalid_tool',
        message: expect.stringMatching(
          /^2 problems, first at tools\.1\.tool: The tool itself is missing; a registration is \{/,
        ),
        details: [{ path: 'tools.1.tool' }, { path: 'tools.1.backend' }],
      },
    });
  });

  test('calls are counted', async () => {
    const { api } = await start();
    await register({ api }, [tool('a')]);
    expect((await ask('POST', `${api}/usage`, { ids: ['a', 'a', 'nothing'] })).status).toBe(200);
    expect((await ask('GET', `${api}/tools/a?detail=full`)).body).toMatchObject({ usage: { calls: 2 } });
  });
});
