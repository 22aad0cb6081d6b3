import { sightOf } from '@winnow/registry';
import { describe, expect, test } from 'vitest';
import { dispatchName } from '../../src/front-door/dispatch.ts';
import { makeFrontDoor, onServer, textOf } from './make-front-door.ts';

const READS = { annotations: { readOnlyHint: true } };
const LOCAL = { kind: 'local', handler: 'run' } as const;

describe('the list of tools', () => {
  test('R58: is ours, then what is always loaded by name; searching and calling change nothing', async () => {
    const { door } = await makeFrontDoor(
      [
        onServer('n', 'b'),
        onServer('n', 'a', { title: 'A', outputSchema: { type: 'object' } }),
        onServer('n', 'c'),
      ],
      { registry: { alwaysLoaded: ['n:b', 'n:a'] } },
    );
    const before = await door.listTools();
    expect(before.map(({ name }) => name)).toEqual([
      'search_tools',
      'call_tool',
      'describe_tools',
      'n__a',
      'n__b',
    ]);
    expect(before[3]).toEqual({
      name: 'n__a',
      title: 'A',
      description: 'Handles a.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
    });
    await door.callTool({ name: 'search_tools', arguments: { query: 'c' } });
    await door.callTool({ name: 'call_tool', arguments: { name: 'c', arguments: {} } });
    expect(JSON.stringify(await door.listTools())).toBe(JSON.stringify(before));
  });

  test('R58: what nothing here can call, what is out of sight, and what has the name of one of ours is left out', async () => {
    const { door } = await makeFrontDoor(
      [
        { ...onServer('n', 'a'), backend: LOCAL },
        onServer('hidden', 'b'),
        {
          tool: { name: 'call_tool', inputSchema: { type: 'object' } },
          backend: { kind: 'mcp', server: 'n' },
        },
      ],
      {
        registry: { alwaysLoaded: ['n:a', 'hidden:b', 'call_tool'] },
        view: (registry) => registry.within(sightOf(['n', '*ll'])),
      },
    );
    expect((await door.listTools()).map(({ name }) => name)).toEqual([
      'search_tools',
      'call_tool',
      'describe_tools',
    ]);
  });

  test('R58: a tool that is listed is called by its name', async () => {
    const { door, servers } = await makeFrontDoor([onServer('n', 'a')], {
      registry: { alwaysLoaded: ['n:a'] },
    });
    expect(await door.callTool({ name: 'n__a', arguments: { x: 1 } })).toMatchObject({ outcome: 'ok' });
    expect(servers.received).toMatchObject([{ server: 'n', tool: 'a', args: { x: 1 } }]);
    expect(await door.callTool({ name: 'n:a' })).toMatchObject({ kind: 'error', outcome: 'unknown_tool' });
  });

  test('R53: hints of a server that is not trusted are not passed on', async () => {
    const tools = [onServer('sure', 'a', READS), onServer('other', 'a', READS)];
    const { door, servers } = await makeFrontDoor(tools, {
      registry: { alwaysLoaded: ['sure:a', 'other:a'] },
    });
    servers.trusted.add('sure');
    const [other, sure] = (await door.listTools()).slice(3);
    expect([other!.annotations, sure!.annotations]).toEqual([undefined, { readOnlyHint: true }]);
  });

  test('R60: searching and describing say that they change nothing', async () => {
    const { door } = await makeFrontDoor([]);
    const [search, call, describeTools] = await door.listTools();
    const harmless = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
    expect([search!.annotations, describeTools!.annotations]).toEqual([harmless, harmless]);
    expect(call!.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  });
});

test('R58: our tools ask to be there from the start, where a client would hold them back', async () => {
  const asking = async (dispatch: 'single' | 'per_namespace') => {
    const { door } = await makeFrontDoor([onServer('n', 'a')], {
      dispatch,
      registry: { alwaysLoaded: ['n:a'] },
    });
    const asks = (await door.listTools()).filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
    return asks.map(({ name }) => name);
  };
  expect(await asking('single')).toEqual(['search_tools', 'call_tool', 'describe_tools']);
  // There may be many of those that call.
  expect(await asking('per_namespace')).toEqual(['search_tools', 'describe_tools']);
});

describe('dispatch', () => {
  const tools = [
    onServer('jira', 'get', READS),
    onServer('jira', 'create'),
    onServer('mail.eu', 'send'),
    { ...onServer('apps', 'run'), backend: LOCAL },
  ];

  test('R64: per namespace there is one calling tool for each, and it calls no others', async () => {
    const { door, servers } = await makeFrontDoor(tools, { dispatch: 'per_namespace' });
    const names = (await door.listTools()).map(({ name }) => name);
    expect(names).toEqual(['search_tools', 'call_jira', 'call_mail_eu_744ee75d', 'describe_tools']);
    const call = (via: string, name: string) =>
      door.callTool({ name: via, arguments: { name, arguments: {} } });
    expect(await call('call_jira', 'create')).toMatchObject({ outcome: 'ok' });
    const wrong = await call('call_jira', 'send');
    expect(textOf(wrong)).toBe(
      'wrong_dispatch: mail_eu__send is called with call_mail_eu_744ee75d, not with call_jira.',
    );
    expect(await call('call_tool', 'send')).toMatchObject({ outcome: 'wrong_dispatch' });
    expect(servers.received).toHaveLength(1);
  });

  test('R64: a tool without a namespace is called by call_tool, and by none for a namespace', async () => {
    const { namespace: _, ...alone } = onServer('jira', 'alone');
    const { door, servers } = await makeFrontDoor([...tools, alone], { dispatch: 'per_namespace' });
    const call = (via: string) => door.callTool({ name: via, arguments: { name: 'alone', arguments: {} } });
    expect((await door.listTools()).map(({ name }) => name)).toContain('call_tool');
    for (const via of ['call_jira', 'call_', 'call_alone']) {
      expect([via, await call(via)]).toMatchObject([via, { outcome: 'wrong_dispatch' }]);
    }
    expect(servers.received).toEqual([]);
    expect(await call('call_tool')).toMatchObject({ outcome: 'ok' });
  });

  test('R64: per effect, what only reads by the word of a trusted server is called by a tool of its own', async () => {
    const { door, servers } = await makeFrontDoor(tools, { dispatch: 'per_effect' });
    const listed = async () => (await door.listTools()).map(({ name }) => name);
    expect(await listed()).toEqual([
      'search_tools',
      'write_jira',
      'write_mail_eu_744ee75d',
      'describe_tools',
    ]);
    servers.trusted.add('jira');
    const trusted = await makeFrontDoor(tools, { dispatch: 'per_effect' });
    trusted.servers.trusted.add('jira');
    const [, read, write] = await trusted.door.listTools();
    expect([read, write]).toMatchObject([
      { name: 'read_jira', annotations: { readOnlyHint: true, openWorldHint: true } },
      {
        name: 'write_jira',
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      },
    ]);
    const call = (via: string, name: string) =>
      trusted.door.callTool({ name: via, arguments: { name, arguments: {} } });
    expect(await call('read_jira', 'get')).toMatchObject({ outcome: 'ok' });
    expect(await call('read_jira', 'create')).toMatchObject({ outcome: 'wrong_dispatch' });
    expect(await call('write_jira', 'get')).toMatchObject({ outcome: 'wrong_dispatch' });
  });

  test('R64: a search says with which tool each is called', async () => {
    const { door } = await makeFrontDoor(tools, { dispatch: 'per_namespace' });
    const text = textOf(await door.callTool({ name: 'search_tools', arguments: { query: 'create' } }));
    expect(text).toContain('### jira__create\nHandles create.\nCall with call_jira. No parameters.');
  });

  test('R64: tools without a namespace keep call_tool', async () => {
    const bare = {
      tool: { name: 'ping', inputSchema: { type: 'object' } },
      backend: { kind: 'mcp', server: 'x' },
    } as const;
    const { door } = await makeFrontDoor([...tools, bare], { dispatch: 'per_namespace' });
    expect((await door.listTools()).map(({ name }) => name).slice(0, 3)).toEqual([
      'search_tools',
      'call_tool',
      'call_jira',
    ]);
    expect(
      await door.callTool({ name: 'call_tool', arguments: { name: 'ping', arguments: {} } }),
    ).toMatchObject({ outcome: 'ok' });
  });

  test('R64: names follow from the namespace alone, and no two are the same', () => {
    const name = (namespace: string) => dispatchName('per_namespace', { namespace, isReadOnly: false });
    // Would be what `a.b` is, but for digits of its own.
    const alike = name('a.b').slice('call_'.length);
    const namespaces = ['tool', 'a.b', 'a_b', 'a-b', alike, 'n'.repeat(64), `${'n'.repeat(63)}m`];
    expect(new Set(namespaces.map(name)).size).toBe(namespaces.length);
    expect(name('github')).toBe('call_github');
    expect(name('tool')).toMatch(/^call_tool_[0-9a-f]{8}$/);
    for (const one of namespaces) expect(name(one)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});
