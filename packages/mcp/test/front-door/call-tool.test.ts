import { sightOf } from '@winnow/registry';
import { Shares } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { CallProblem, type CallProblemCode } from '../../src/servers/failures.ts';
import { makeFrontDoor, onServer, textOf } from './make-front-door.ts';

const CREATE = onServer('jira', 'create_issue', {
  inputSchema: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
});

const call = (name: string, args: unknown = {}, more: Record<string, unknown> = {}) => ({
  name: 'call_tool',
  arguments: { name, arguments: args, ...more } as never,
});

describe('call_tool', () => {
  test.each(['jira__create_issue', 'jira:create_issue', 'create_issue'])(
    'R61: takes %s for the tool',
    async (name) => {
      const { door, servers } = await makeFrontDoor([CREATE, onServer('mail', 'send')]);
      const end = await door.callTool(call(name, { project: 'P' }));
      expect(end).toMatchObject({ kind: 'result', outcome: 'ok', server: 'jira' });
      expect(servers.received).toMatchObject([
        { server: 'jira', tool: 'create_issue', args: { project: 'P' } },
      ]);
    },
  );

  test('R61: a bare name that two tools have is refused with both model names', async () => {
    const { door, servers } = await makeFrontDoor([onServer('a', 'send'), onServer('b', 'send')]);
    const end = await door.callTool(call('send'));
    expect(textOf(end)).toBe('ambiguous_name: Several tools are named "send": a__send, b__send.');
    expect(servers.received).toEqual([]);
  });

  test('R61: an unknown name is refused with the three nearest', async () => {
    const tools = ['create_issue', 'create_issues', 'close_issue', 'delete_project'].map((name) =>
      onServer('jira', name),
    );
    const { door } = await makeFrontDoor(tools);
    const end = await door.callTool(call('jira__create_isue'));
    expect(end).toMatchObject({ outcome: 'unknown_tool', result: { isError: true } });
    expect(textOf(end)).toBe(
      'unknown_tool: There is no tool "jira__create_isue". The nearest names: jira__create_issue, jira__create_issues, jira__close_issue. Find tools with search_tools.',
    );
  });

  test('R61: arguments that do not fit are refused before the call, with path, expected type and schema', async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    const end = await door.callTool(call('create_issue', { project: 7 }));
    expect(end).toMatchObject({ outcome: 'invalid_arguments', result: { isError: true } });
    expect(textOf(end)).toBe(
      [
        'invalid_arguments: The arguments of jira__create_issue do not fit its schema. It was not called.',
        '- arguments/project: must be of type string',
        'The schema of its arguments: {"type":"object","properties":{"project":{"type":"string"}},"required":["project"]}',
      ].join('\n'),
    );
    expect(servers.received).toEqual([]);
  });

  test('R61: arguments that a model wrote as a text of JSON are taken for what they say', async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    await door.callTool(call('create_issue', '{"project":"P"}'));
    expect(servers.received).toMatchObject([{ args: { project: 'P' } }]);
    expect(textOf(await door.callTool(call('create_issue', '[1]')))).toContain(
      '"arguments" must be an object',
    );
  });

  test('R61: a null that the schema refuses counts as absent where the parameter is optional', async () => {
    const either = { type: ['string', 'null'] };
    const inner = { type: 'object', properties: { name: { type: 'string' }, either } };
    const { door, servers } = await makeFrontDoor([
      onServer('jira', 'find', {
        inputSchema: {
          type: 'object',
          properties: { project: { type: 'string' }, limit: { type: 'integer' }, inner, either },
          required: ['project'],
        },
      }),
    ]);
    const nulls = { name: null, either: null };
    await door.callTool(call('find', { project: 'P', limit: null, inner: nulls, either: null }));
    expect(servers.received).toMatchObject([{ server: 'jira' }]);
    expect(servers.received[0]!.args).toEqual({ project: 'P', inner: { either: null }, either: null });
    const end = await door.callTool(call('find', { project: null, limit: null }));
    expect(textOf(end)).toContain('- arguments/project: must be of type string');
    expect(servers.received).toHaveLength(1);
  });

  test('R61: arguments next to "arguments" are refused with a sentence', async () => {
    const { door } = await makeFrontDoor([CREATE]);
    const end = await door.callTool({ name: 'call_tool', arguments: { name: 'create_issue', project: 'P' } });
    expect(textOf(end)).toBe(
      'invalid_arguments: The arguments of the tool belong in "arguments"; move "project" into it.',
    );
  });

  test('R61: a dry run checks and calls nothing', async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    const fits = await door.callTool(call('create_issue', { project: 'P' }, { dry_run: true }));
    expect(fits).toMatchObject({ outcome: 'dry_run' });
    expect(textOf(fits)).toBe(
      'The arguments fit the schema of jira__create_issue. Nothing was called; without dry_run the call goes to the server jira.',
    );
    const wrong = await door.callTool(call('create_issue', {}, { dry_run: true }));
    expect(wrong).toMatchObject({ outcome: 'invalid_arguments' });
    expect(servers.received).toEqual([]);
  });

  test('R61: a schema that cannot be checked here is left to the server', async () => {
    const external = onServer('n', 'make', {
      inputSchema: { type: 'object', $ref: 'https://example.com/s.json' },
    });
    const { door, servers } = await makeFrontDoor([external]);
    expect(await door.callTool(call('make', { a: 1 }))).toMatchObject({ outcome: 'ok' });
    expect(servers.received).toHaveLength(1);
  });

  test.each([
    [{ kind: 'local', handler: 'run' }, 'Its handler run runs in an application of its own.'],
    [{ kind: 'provider', provider: 'acme', tool: 'web' }, 'It belongs to the provider acme (its tool web).'],
  ] as const)('R61: a tool without an MCP backend is not callable: %o', async (backend, sentence) => {
    const { door, servers } = await makeFrontDoor([{ ...CREATE, backend }]);
    const end = await door.callTool(call('create_issue', { project: 'P' }));
    expect(end).toMatchObject({ outcome: 'not_callable', result: { isError: true } });
    expect(textOf(end)).toBe(
      `not_callable: jira__create_issue is not on an MCP server, so that it cannot be called from here. ${sentence}`,
    );
    expect(servers.received).toEqual([]);
  });

  test('a tool with several backends is called on its first server, whatever comes before', async () => {
    const { door, servers } = await makeFrontDoor([
      { ...CREATE, backend: { kind: 'local', handler: 'run' } },
      CREATE,
    ]);
    expect(await door.callTool(call('create_issue', { project: 'P' }))).toMatchObject({ outcome: 'ok' });
    expect(servers.received).toMatchObject([{ server: 'jira' }]);
  });

  test("the server is asked by its own name of the tool, as repaired names are the registry's", async () => {
    const { door, servers } = await makeFrontDoor([onServer('n', 'do_it')]);
    servers.ownNames.set('do_it', 'do it!');
    await door.callTool(call('do_it'));
    expect(servers.received).toMatchObject([{ tool: 'do it!' }]);
  });

  test('R62: what is out of sight is unknown, by whatever name, and is not named', async () => {
    const { door, servers } = await makeFrontDoor([CREATE, onServer('mail', 'create_draft')], {
      view: (registry) => registry.within(sightOf(['mail'])),
    });
    for (const name of ['jira__create_issue', 'jira:create_issue', 'create_issue']) {
      const end = await door.callTool(call(name, { project: 'P' }));
      expect(end).toMatchObject({ outcome: 'unknown_tool' });
      expect(textOf(end)).not.toContain('nearest names: jira');
    }
    expect(servers.received).toEqual([]);
    expect(await door.callTool({ name: 'jira__create_issue', arguments: { project: 'P' } })).toMatchObject({
      kind: 'error',
      error: { code: -32602 },
    });
  });

  test('R62: a tool that goes is unknown from then on', async () => {
    const { door, registry } = await makeFrontDoor([CREATE]);
    await registry.unregister('jira:create_issue');
    expect(await door.callTool(call('jira__create_issue', { project: 'P' }))).toMatchObject({
      outcome: 'unknown_tool',
    });
  });

  test('R63: a result passes through unchanged', async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    const result = {
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { audience: ['user'] } },
        { type: 'something_new', deep: { a: [1, null] } },
      ],
      structuredContent: { a: { b: [] } },
      isError: true,
      _meta: { 'example.com/x': 1 },
      more: 'kept',
    };
    servers.answer = () => result;
    const end = await door.callTool(call('create_issue', { project: 'P' }));
    expect(end).toEqual({ kind: 'result', outcome: 'tool_error', result, server: 'jira' });
  });

  test('R63: signal, progress and _meta reach the server', async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    const heard: unknown[] = [];
    const { signal } = new AbortController();
    servers.answer = ({ options }) => {
      options.onProgress?.({ progress: 1, total: 2, message: 'half' });
      options.onProgress?.({ progress: 2 });
      return { content: [] };
    };
    await door.callTool({
      ...call('create_issue', { project: 'P' }),
      context: { signal, onProgress: (progress) => heard.push(progress), meta: { 'example.com/x': 1 } },
    });
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }, { progress: 2 }]);
    expect(servers.received[0]!.options).toMatchObject({ signal, meta: { 'example.com/x': 1 } });
  });

  test.each([
    ['server_unreachable', 'server_unreachable: jira is gone.'],
    ['unknown_server', 'server_unreachable: jira is gone.'],
    ['timed_out', 'timed_out: jira is gone.'],
    ['cancelled', 'cancelled: jira is gone.'],
    ['bad_answer', 'bad_answer: jira is gone.'],
  ] as const)(
    'a call that fails with %s is an error that a model can read',
    async (code: CallProblemCode, text) => {
      const { door, servers } = await makeFrontDoor([CREATE]);
      servers.answer = () => Promise.reject(new CallProblem(code, 'jira is gone.'));
      const end = await door.callTool(call('create_issue', { project: 'P' }));
      expect(end).toMatchObject({ result: { isError: true }, server: 'jira' });
      expect(textOf(end)).toBe(text);
    },
  );

  test("R63: a server's error of the protocol passes through as such", async () => {
    const { door, servers } = await makeFrontDoor([CREATE]);
    const error = { code: -32_042, message: 'Open this page', data: { url: 'https://example.com' } };
    servers.answer = () => Promise.reject(new CallProblem('refused', 'jira refused.', error));
    expect(await door.callTool(call('create_issue', { project: 'P' }))).toEqual({
      kind: 'error',
      outcome: 'refused',
      error,
      server: 'jira',
    });
  });

  test('R63: the next round goes to the server that asked, and to no other that has the tool', async () => {
    const { door, servers, registry } = await makeFrontDoor([CREATE]);
    const asked = CREATE.backend;
    const other = { ...CREATE, backend: { kind: 'mcp', server: 'mirror' } } as const;
    servers.answer = () => ({ resultType: 'input_required', inputRequests: {}, requestState: 'own' });
    const end = await door.callTool(call('create_issue', { project: 'P' }));
    const requestState = end.kind === 'result' ? String(end.result.requestState) : '';
    const next = { ...call('create_issue', { project: 'P' }), context: { requestState } };
    // Another one is the first of its servers now.
    await registry.register([other]);
    await registry.unregister('jira:create_issue', asked);
    expect(await door.callTool(next)).toMatchObject({ kind: 'error', outcome: 'invalid_request_state' });
    await registry.register([CREATE]);
    await door.callTool(next);
    expect(servers.received.map(({ server, options }) => [server, options.requestState])).toEqual([
      ['jira', undefined],
      ['jira', 'own'],
    ]);
  });

  test('calls beyond the limit are refused at once, and searches are not', async () => {
    const { door, servers } = await makeFrontDoor([CREATE], {
      slots: new Shares(1, []).of({ tenant: 'default' }),
    });
    let finish = (_: { content: [] }) => {};
    servers.answer = () => new Promise((resolve) => (finish = resolve));
    const first = door.callTool(call('create_issue', { project: 'P' }));
    const second = await door.callTool(call('create_issue', { project: 'P' }));
    expect(second).toMatchObject({ outcome: 'overloaded', result: { isError: true } });
    expect(await door.callTool({ name: 'search_tools', arguments: { query: 'issue' } })).toMatchObject({
      outcome: 'ok',
    });
    await expect.poll(() => servers.received.length).toBe(1);
    finish({ content: [] });
    expect(await first).toMatchObject({ outcome: 'ok' });
  });

  test('R66: calls are reported by tool, outcome and size, without arguments and results', async () => {
    const { door, servers, records } = await makeFrontDoor([CREATE]);
    await door.callTool(call('create_issue', { project: 'secret-argument' }));
    servers.answer = () => ({ content: [{ type: 'text', text: 'secret-result' }], isError: true });
    await door.callTool({ name: 'jira__create_issue', arguments: { project: 'secret-argument' } });
    await door.callTool(call('create_issue', {}));
    await door.callTool(call('nothing-secret'));
    await door.callTool({ name: 'a-secret-name', arguments: {} });
    await door.callTool({ name: 'search_tools', arguments: { query: 'issue' } });
    expect(records).toEqual([
      {
        via: 'call_tool',
        id: 'jira:create_issue',
        server: 'jira',
        outcome: 'ok',
        durationMs: 0,
        resultChars: 59,
      },
      {
        via: 'jira__create_issue',
        id: 'jira:create_issue',
        server: 'jira',
        outcome: 'tool_error',
        durationMs: 0,
        resultChars: 67,
      },
      {
        via: 'call_tool',
        id: 'jira:create_issue',
        server: undefined,
        outcome: 'invalid_arguments',
        durationMs: 0,
        resultChars: 0,
      },
      {
        via: 'call_tool',
        id: undefined,
        server: undefined,
        outcome: 'unknown_tool',
        durationMs: 0,
        resultChars: 0,
      },
      {
        via: 'unknown',
        id: undefined,
        server: undefined,
        outcome: 'unknown_tool',
        durationMs: 0,
        resultChars: 0,
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  test('R43: calls that reached their server count for the hot tools', async () => {
    const { door, registry } = await makeFrontDoor([CREATE, onServer('jira', 'close')]);
    await door.callTool(call('create_issue', { project: 'P' }));
    await door.callTool(call('create_issue', {}));
    await door.callTool(call('close', {}, { dry_run: true }));
    const calls = async (id: string) => (await registry.get(id))?.usage?.calls;
    expect([await calls('jira:create_issue'), await calls('jira:close')]).toEqual([1, 0]);
  });
});
