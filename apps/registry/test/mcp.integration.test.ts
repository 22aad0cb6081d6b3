import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../src/config.ts';
import { FakeServers } from './fake-servers.ts';
import { connectClient, MODES } from './mcp-client.ts';
import { ask, register, start, tool } from './start.ts';

const onServer = (server: string, name: string, more: Record<string, unknown> = {}) =>
  tool(name, { namespace: server, backend: { kind: 'mcp', server }, ...more });

const CREATE_ISSUE = onServer('jira', 'create_issue', {
  description: 'Create an issue in a Jira project.',
  inputSchema: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
});

async function startDoor(settings: Parameters<typeof start>[0] = {}, tools: unknown[] = [CREATE_ISSUE]) {
  const servers = new FakeServers();
  const registry = await start(settings, { serversOf: () => servers, after: soon });
  await register(registry, tools, settings.tokens ? authorization(WRITER) : {});
  return { registry, servers };
}

/** In a moment, whatever the service would like to wait. */
function soon(_: number, call: () => void): () => void {
  const timer = setImmediate(call);
  return () => clearImmediate(timer);
}

const WRITER = 'writer-0123456789abcdef';
const READER = 'reader-0123456789abcdef';
const OTHER = 'other-0123456789abcdef';
const authorization = (token: string) => ({ authorization: `Bearer ${token}` });
const TOKENS = [
  { name: 'writer', token: WRITER, tenant: 'a', rights: ['read', 'write', 'metrics'], namespaces: undefined },
  { name: 'reader', token: READER, tenant: 'a', rights: ['read'], namespaces: ['mail'] },
  { name: 'other', token: OTHER, tenant: 'b', rights: ['read'], namespaces: undefined },
] as const;

const call = (name: string, args: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  name: 'call_tool',
  arguments: { name, arguments: args, ...more },
});

/** The content of a result, without the signature that the vendor's package adds to each one. */
const saysOf = ({ _meta, ...result }: { readonly _meta?: unknown; readonly [member: string]: unknown }) =>
  result;

describe.each(MODES)('the vendor client, %s', (mode) => {
  test('R58: sees a constant list that says how long it may be kept', async () => {
    const { registry } = await startDoor({ alwaysLoaded: ['jira:create_issue'] });
    const client = await connectClient(registry.url, { mode });
    const list = await client.listTools();
    const names = ['search_tools', 'call_tool', 'describe_tools', 'jira__create_issue'];
    expect(list.tools.map(({ name }) => name)).toEqual(names);
    if (mode !== 'legacy') expect(list).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      // Over HTTP, older clients cannot be told of updates.
      resources: { listChanged: true, ...(mode !== 'legacy' && { subscribe: true }) },
      completions: {},
    });
    await client.callTool({ name: 'search_tools', arguments: { query: 'issue' } });
    await client.callTool(call('create_issue', { project: 'P' }));
    const again = await connectClient(registry.url, { mode });
    expect((await again.listTools()).tools).toEqual(list.tools);
  });

  test('R60: searches, and gets text and structured content', async () => {
    const { registry } = await startDoor();
    const client = await connectClient(registry.url, { mode });
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'create issue' } });
    expect(saysOf(found)).toEqual({
      content: [
        {
          type: 'text',
          text: '1 of 1 matching tool, the best first.\n\n### jira__create_issue\nCreate an issue in a Jira project.\nCall with call_tool. Parameters:\n- project (string, required)',
        },
      ],
      structuredContent: {
        tool_references: [
          {
            tool_name: 'jira__create_issue',
            id: 'jira:create_issue',
            namespace: 'jira',
            relevance_score: expect.any(Number),
            summary: 'Create an issue in a Jira project.',
            matched_on: ['name', 'description'],
            server: 'jira',
            definition: {
              name: 'jira__create_issue',
              description: 'Create an issue in a Jira project.',
              inputSchema: CREATE_ISSUE.tool.inputSchema,
            },
          },
        ],
        total_matches: 1,
      },
    });
  });

  test('R61: calls, and reports problems of the arguments before the call', async () => {
    const { registry, servers } = await startDoor();
    const client = await connectClient(registry.url, { mode });
    const wrong = await client.callTool(call('create_issue'));
    expect(wrong).toMatchObject({ isError: true });
    expect((wrong.content as { text: string }[])[0]!.text).toMatch(
      /^invalid_arguments: .*\n- arguments.*project/,
    );
    expect(servers.received).toEqual([]);
    expect(
      await client.callTool(call('create_issue', { project: 'P' }, { dry_run: true })),
    ).not.toHaveProperty('isError');
    expect(servers.received).toEqual([]);
    const right = await client.callTool(call('create_issue', { project: 'P' }));
    expect(saysOf(right)).toEqual({ content: [{ type: 'text', text: 'create_issue is done' }] });
    expect(servers.received).toMatchObject([
      { server: 'jira', tool: 'create_issue', args: { project: 'P' } },
    ]);
  });

  test('R61: a tool without a server is not callable, and a tool that is not listed is an error of the protocol', async () => {
    const { registry } = await startDoor({}, [tool('run')]);
    const client = await connectClient(registry.url, { mode });
    const local = await client.callTool(call('run'));
    expect((local.content as { text: string }[])[0]!.text).toMatch(/^not_callable: .*handler run/);
    await expect(client.callTool({ name: 'no_such', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  test('R62: sees and calls what its token may, and nothing else', async () => {
    const { registry, servers } = await startDoor({ tokens: TOKENS }, [
      CREATE_ISSUE,
      onServer('mail', 'create_draft'),
    ]);
    const calls = async (token: string) => {
      const client = await connectClient(registry.url, { mode, token });
      const results = [];
      for (const name of ['jira__create_issue', 'jira:create_issue', 'create_issue', 'mail__create_draft']) {
        const result = await client.callTool(call(name, { project: 'P' }));
        results.push((result.content as { text: string }[])[0]!.text.split(':')[0]);
      }
      const found = await client.callTool({ name: 'search_tools', arguments: { query: 'create' } });
      return [...results, (found.structuredContent as { total_matches: number }).total_matches];
    };
    expect(await calls(READER)).toEqual([
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      'create_draft is done',
      1,
    ]);
    expect(servers.received.map(({ server }) => server)).toEqual(['mail']);
    expect(await calls(OTHER)).toEqual(['unknown_tool', 'unknown_tool', 'unknown_tool', 'unknown_tool', 0]);
    expect(await calls(WRITER)).toEqual([
      ...Array(3).fill('create_issue is done'),
      'create_draft is done',
      2,
    ]);
    await expect(connectClient(registry.url, { mode })).rejects.toThrow();
  });

  test('R64: has a calling tool for each namespace', async () => {
    const tools = [
      onServer('jira', 'get_issue', { annotations: { readOnlyHint: true } }),
      CREATE_ISSUE,
      onServer('mail', 'send'),
    ];
    const { registry, servers } = await startDoor({ mcpDispatch: 'per_effect' }, tools);
    servers.trusted.add('jira');
    const client = await connectClient(registry.url, { mode });
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['search_tools', true],
      ['read_jira', true],
      ['write_jira', false],
      ['write_mail', false],
      ['describe_tools', true],
    ]);
    const says = async (via: string, name: string) => {
      const result = await client.callTool({ name: via, arguments: { name, arguments: { project: 'P' } } });
      return (result.content as { text: string }[])[0]!.text;
    };
    expect(await says('read_jira', 'get_issue')).toBe('get_issue is done');
    expect(await says('read_jira', 'create_issue')).toBe(
      'wrong_dispatch: jira__create_issue is called with write_jira, not with read_jira.',
    );
    expect(await says('write_jira', 'create_issue')).toBe('create_issue is done');
  });

  test('R65: reads full schemas', async () => {
    const { registry } = await startDoor();
    const client = await connectClient(registry.url, { mode });
    const { structuredContent } = await client.callTool({
      name: 'describe_tools',
      arguments: { names: ['create_issue'] },
    });
    expect(structuredContent).toEqual({
      tools: [
        {
          name: 'jira__create_issue',
          description: 'Create an issue in a Jira project.',
          inputSchema: CREATE_ISSUE.tool.inputSchema,
        },
      ],
    });
  });

  test('R66: is counted by tool, and neither arguments nor results are logged', async () => {
    const { registry, servers } = await startDoor({ tokens: TOKENS });
    servers.answer = () => ({ content: [{ type: 'text', text: 'secret-result' }] });
    const client = await connectClient(registry.url, { mode, token: WRITER });
    await client.callTool(call('create_issue', { project: 'secret-argument' }));
    await client.callTool(call('create_issue', { secretname: 'secret-argument' }));
    await client.callTool({ name: 'search_tools', arguments: { query: 'secret-query' } });
    const { body } = await ask('GET', `${registry.api}/usage`, undefined, authorization(WRITER));
    expect(body).toEqual({
      tools: [
        {
          id: 'jira:create_issue',
          calls: 2,
          outcomes: { ok: 1, invalid_arguments: 1 },
          mean_ms: expect.any(Number),
          max_ms: expect.any(Number),
          result_chars: 52,
        },
      ],
    });
    for (const token of [READER, OTHER]) {
      expect((await ask('GET', `${registry.api}/usage`, undefined, authorization(token))).body).toEqual({
        tools: [],
      });
    }
    const metrics = await (await fetch(`${registry.url}/metrics`, { headers: authorization(WRITER) })).text();
    expect(metrics).toContain('winnow_registry_mcp_calls_total{outcome="ok"} 1');
    expect(metrics).toContain('winnow_registry_mcp_calls_total{outcome="invalid_arguments"} 1');
    expect(registry.logs().filter(({ event }) => event === 'mcp_call')).toMatchObject([
      {
        caller: 'writer',
        via: 'call_tool',
        tool: 'jira:create_issue',
        server: 'jira',
        outcome: 'ok',
        resultChars: 52,
      },
      {
        caller: 'writer',
        via: 'call_tool',
        tool: 'jira:create_issue',
        outcome: 'invalid_arguments',
        resultChars: 0,
      },
    ]);
    expect(JSON.stringify(registry.logs())).not.toMatch(/secret|writer-0/);
  });

  test('R43: calls through the front door count for the hot tools', async () => {
    const { registry } = await startDoor();
    const client = await connectClient(registry.url, { mode });
    await client.callTool(call('create_issue', { project: 'P' }));
    const { body } = await ask('GET', `${registry.api}/tools/jira:create_issue?detail=full`);
    expect(body).toMatchObject({ usage: { calls: 1 } });
  });

  test('R63: a call that the client cancels is cancelled at its server', async () => {
    const { registry, servers } = await startDoor();
    const signals: AbortSignal[] = [];
    servers.answer = ({ options }) => {
      signals.push(options.signal!);
      return new Promise(() => {});
    };
    const client = await connectClient(registry.url, { mode });
    const controller = new AbortController();
    const calling = client.callTool(call('create_issue', { project: 'P' }), { signal: controller.signal });
    calling.catch(() => {});
    await expect.poll(() => signals.length).toBe(1);
    controller.abort();
    await expect(calling).rejects.toThrow();
    await expect.poll(() => signals[0]!.aborted).toBe(true);
  });

  test('R63: a call whose client disconnects is cancelled at its server', async () => {
    const { registry, servers } = await startDoor();
    const signals: AbortSignal[] = [];
    servers.answer = ({ options }) => {
      signals.push(options.signal!);
      return new Promise(() => {});
    };
    const client = await connectClient(registry.url, { mode });
    client.callTool(call('create_issue', { project: 'P' })).catch(() => {});
    await expect.poll(() => signals.length).toBe(1);
    await client.close();
    await expect.poll(() => signals[0]!.aborted).toBe(true);
  });

  test('R63: is notified of progress in order, before the result', async () => {
    const { registry, servers } = await startDoor();
    servers.answer = ({ options }) => {
      for (let progress = 1; progress <= 50; progress++)
        options.onProgress?.({ progress, total: 50, message: `${progress}` });
      return { content: [] };
    };
    const client = await connectClient(registry.url, { mode });
    const heard: unknown[] = [];
    await client.callTool(call('create_issue', { project: 'P' }), {
      onprogress: (progress) => heard.push(progress),
    });
    expect(heard).toEqual(
      Array.from({ length: 50 }, (_, n) => ({ progress: n + 1, total: 50, message: `${n + 1}` })),
    );
  });

  test('a hundred simultaneous calls are all answered, and those above the limit are told to retry', async () => {
    const { registry, servers } = await startDoor({ mcpMaxCalls: 100 });
    const finish: (() => void)[] = [];
    servers.answer = ({ args }) =>
      new Promise((resolve) =>
        finish.push(() => resolve({ content: [{ type: 'text', text: String(args.project) }] })),
      );
    const client = await connectClient(registry.url, { mode });
    const calls = Array.from({ length: 100 }, (_, n) =>
      client.callTool(call('create_issue', { project: `P${n}` })),
    );
    await expect.poll(() => finish.length, { timeout: 30_000 }).toBe(100);
    const beyond = await client.callTool(call('create_issue', { project: 'P' }));
    expect((beyond.content as { text: string }[])[0]!.text).toMatch(/^overloaded: /);
    // Searching goes on all the while.
    expect(await client.callTool({ name: 'search_tools', arguments: { query: 'issue' } })).not.toHaveProperty(
      'isError',
    );
    for (const one of finish) one();
    const texts = (await Promise.all(calls)).map(({ content }) => (content as { text: string }[])[0]!.text);
    expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `P${n}`));
  });
});

test('a result that is larger than what may wait is passed on', async () => {
  const { registry, servers } = await startDoor();
  const text = 'x'.repeat(70 * 2 ** 20);
  servers.answer = () => ({ content: [{ type: 'text', text }] });
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: call('create_issue', { project: 'P' }),
  };
  const { status, headers } = await fetch(`${registry.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(message),
  }).then(async (response) => {
    const read = await response.text();
    expect(read.length).toBeGreaterThan(text.length);
    expect(read.trimEnd().endsWith('}')).toBe(true);
    return response;
  });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
});

describe('modern clients', () => {
  test.each(['auto', 'pinned'] as const)(
    'R58: %s hears when what is always loaded changes, and of nothing else',
    async (mode) => {
      const { registry } = await startDoor({ alwaysLoaded: ['jira:create_issue', 'jira:close_issue'] });
      const lists: string[][] = [];
      await connectClient(registry.url, {
        mode,
        listChanged: {
          tools: {
            debounceMs: 0,
            onChanged: (_, tools) => lists.push((tools ?? []).map(({ name }) => name)),
          },
        },
      });
      await register(registry, [onServer('jira', 'not_loaded')]);
      await register(registry, [onServer('jira', 'close_issue')]);
      await expect
        .poll(() => lists)
        .toEqual([
          ['search_tools', 'call_tool', 'describe_tools', 'jira__close_issue', 'jira__create_issue'],
        ]);
    },
  );

  test('streams of notifications end when the service does, and calls may finish', async () => {
    const { registry, servers } = await startDoor({ drainTimeoutMs: 5_000 });
    let finish = () => {};
    servers.answer = () => new Promise((resolve) => (finish = () => resolve({ content: [] })));
    const client = await connectClient(registry.url, {
      mode: 'pinned',
      listChanged: { tools: { onChanged: () => {} } },
    });
    const calling = client.callTool(call('create_issue', { project: 'P' }));
    await expect.poll(() => servers.received.length).toBe(1);
    const closing = registry.close();
    setImmediate(() => finish());
    expect(saysOf(await calling)).toEqual({ content: [] });
    expect(await closing).toBe(true);
  });

  test('R63: what a server asks for is asked of the client, and the answer goes back with the state', async () => {
    const { registry, servers } = await startDoor();
    servers.answer = ({ options }) =>
      options.requestState === undefined
        ? {
            resultType: 'input_required',
            inputRequests: {
              sure: {
                method: 'elicitation/create',
                params: {
                  mode: 'form',
                  message: 'Sure?',
                  requestedSchema: { type: 'object', properties: {} },
                },
              },
            },
            requestState: 'own state',
          }
        : {
            content: [{ type: 'text', text: JSON.stringify([options.requestState, options.inputResponses]) }],
          };
    const client = await connectClient(registry.url, {
      mode: 'pinned',
      capabilities: { elicitation: { form: {} } },
    });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
    const result = await client.callTool(call('create_issue', { project: 'P' }));
    expect((result.content as { text: string }[])[0]!.text).toBe(
      JSON.stringify(['own state', { sure: { action: 'accept', content: {} } }]),
    );
    expect(servers.received[0]!.options.meta).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    });
  });
});

test('R59: a request whose token is withdrawn while its body arrives opens nothing', async () => {
  const { registry } = await startDoor({ tokens: TOKENS });
  const { port } = new URL(registry.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const sending = request({
    ...{ port, method: 'POST', path: '/mcp' },
    headers: {
      ...authorization(READER),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': body.length,
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
  });
  await new Promise((resolve) => {
    sending.write(body.slice(0, 10), resolve);
  });
  await delay(50);
  const kept = TOKENS.filter(({ name }) => name !== 'reader');
  expect(
    registry.reload({
      ...DEFAULT_SETTINGS,
      sqliteFile: ':memory:',
      port: 0,
      drainTimeoutMs: 100,
      tokens: kept,
    }),
  ).toMatchObject({
    ok: true,
    changed: ['tokens_file'],
  });
  sending.end(body.slice(10));
  expect(await answered).toBe(401);
});
