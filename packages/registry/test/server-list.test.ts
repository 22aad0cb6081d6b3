import { describe, expect, inject, test } from 'vitest';
import type { ServerList } from '../src/changes/plan-server-list.ts';
import type { McpTool, Registry } from '../src/index.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

/** A list of a server named `alpha`; what is given replaces what stands here. */
function list(tools: readonly McpTool[], parts: Partial<ServerList> = {}): ServerList {
  return { server: 'alpha', namespace: 'a', tags: [], trustsAnnotations: false, tools, ...parts };
}

function tool(name: string, parts: Partial<McpTool> = {}): McpTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...parts };
}

async function eventsOf(registry: Registry, since = 0) {
  const { events } = expectOk(registry.changesSince({ version: since, index: Infinity }));
  return events.map(({ at: _, ...event }) => event);
}

async function idsOf(registry: Registry): Promise<readonly string[]> {
  return expectOk(await registry.list({}, { pageSize: 100 })).rows.map(({ id }) => id);
}

describe("a server's list", () => {
  test('R47: new, changed and vanished tools are one change, told apart by their content', async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('same'), tool('other'), tool('gone')])));
    const next = [tool('new'), tool('other', { title: 'Other' }), tool('same')];
    const summary = expectOk(await registry.registerFromMcp(list(next)));
    expect(summary).toMatchObject({ version: 2, registered: 1, updated: 1, unchanged: 1, removed: 1 });
    expect(await idsOf(registry)).toEqual(['a:new', 'a:other', 'a:same']);
    const told = (await eventsOf(registry, 1)).map(({ type, id, version }) => [version, type, id]);
    expect(told).toEqual([
      [2, 'tool_registered', 'a:new'],
      [2, 'tool_updated', 'a:other'],
      [2, 'tool_removed', 'a:gone'],
    ]);
  });

  test('R47: an equal list changes nothing, and however many tools are one change', async () => {
    const registry = await makeRegistry();
    const count = inject('isExhaustive') ? 5_000 : 400;
    const many = Array.from({ length: count }, (_, n) => tool(`tool_${n}`));
    expect(expectOk(await registry.registerFromMcp(list(many)))).toMatchObject({
      version: 1,
      registered: count,
    });
    expect(expectOk(await registry.registerFromMcp(list(many.toReversed())))).toMatchObject({
      version: 1,
      unchanged: count,
    });
  });

  test('R47: what cannot be stored is left out and named, and the rest stands', async () => {
    const registry = await makeRegistry();
    const broken = { name: 'broken', inputSchema: 'none' } as unknown as McpTool;
    const huge = tool('huge', { description: 'x'.repeat(300_000) });
    const { leftOut } = expectOk(await registry.registerFromMcp(list([broken, tool('good'), huge])));
    expect(leftOut).toEqual([
      { name: 'broken', reason: expect.stringContaining('schema must be an object') },
      { name: 'huge', reason: expect.stringContaining('larger than 256 KiB') },
    ]);
    expect(await idsOf(registry)).toEqual(['a:good']);
  });

  test('R10: a list that does not fit into the scope changes nothing', async () => {
    const registry = await makeRegistry({ limits: { tools: 2 } });
    expectOk(await registry.registerFromMcp(list([tool('first')])));
    const refused = await registry.registerFromMcp(list([tool('first'), tool('b'), tool('c')]));
    expect(refused).toMatchObject({ ok: false, code: 'limit_exceeded' });
    expect(await idsOf(registry)).toEqual(['a:first']);
  });

  test('a server whose namespace is another now has its tools there, in one change', async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('find')])));
    expectOk(await registry.registerFromMcp(list([tool('find')], { namespace: 'b' })));
    expect(await idsOf(registry)).toEqual(['b:find']);
    expect(registry.version).toBe(2);
  });
});

describe('tools of several backends', () => {
  test("R5: a server's refresh that differs detaches its backend, and the rest of the refresh stands", async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('find')])));
    expectOk(await registry.registerFromMcp(list([tool('find')], { server: 'beta' })));
    const changed = [tool('find', { description: 'Something else.' }), tool('more')];
    const summary = expectOk(await registry.registerFromMcp(list(changed, { server: 'beta' })));
    expect(summary).toMatchObject({ diverged: ['a:find'], registered: 1, removed: 1 });
    expect(await registry.backends('a:find')).toEqual([{ kind: 'mcp', server: 'alpha' }]);
    expect(await eventsOf(registry, 2)).toEqual([
      {
        type: 'backend_removed',
        id: 'a:find',
        backend: { kind: 'mcp', server: 'beta' },
        reason: 'diverged',
        version: 3,
        index: 0,
      },
      expect.objectContaining({ type: 'tool_registered', id: 'a:more' }),
    ]);
    // Once both say the same again, both are its backends again.
    expectOk(await registry.registerFromMcp(list([changed[0]!])));
    expectOk(await registry.registerFromMcp(list(changed, { server: 'beta' })));
    expect(await registry.backends('a:find')).toHaveLength(2);
  });

  test('R5: servers with other tags do not write their own again and again', async () => {
    const registry = await makeRegistry();
    const [alpha, beta] = [
      list([tool('find')], { tags: ['one'] }),
      list([tool('find')], { server: 'beta', tags: ['two'] }),
    ];
    expectOk(await registry.registerFromMcp(alpha));
    expectOk(await registry.registerFromMcp(beta));
    const { version } = registry;
    expectOk(await registry.registerFromMcp(alpha));
    expectOk(await registry.registerFromMcp(beta));
    expect(registry.version).toBe(version);
    expect((await registry.get('a:find'))!.tags).toEqual(['two']);
  });

  test('R12: removing a server removes its backends in one change, and leaves those of others', async () => {
    const registry = await makeRegistry();
    expectOk(await registry.register([registration('find', { namespace: 'a', tool: tool('find') })]));
    expectOk(await registry.registerFromMcp(list([tool('find'), tool('more')])));
    expect(registry.idsOfServer('alpha')).toEqual(['a:find', 'a:more']);
    const summary = expectOk(await registry.registerFromMcp(list([])));
    expect(summary).toMatchObject({ version: 3, removed: 2 });
    expect(await idsOf(registry)).toEqual(['a:find']);
    expect(await registry.backends('a:find')).toEqual([{ kind: 'local', handler: 'find' }]);
    expect(registry.idsOfServer('alpha')).toEqual([]);
  });
});

describe('what models see', () => {
  test("R51: the model name has the server's prefix, or else its namespace", async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('find')], { prefix: 'gh' })));
    expect(await registry.get('a:find')).toMatchObject({ modelName: 'gh__find' });
    expect(await registry.get('gh__find')).toMatchObject({ id: 'a:find' });
    expect((await registry.get('a__find'))?.id).toBeUndefined();
    const found = expectOk(await registry.search('gh__find'));
    expect(found.tools.map(({ modelName }) => modelName)).toEqual(['gh__find']);
    expectOk(await registry.registerFromMcp(list([tool('find')])));
    expect(await registry.get('a:find')).toMatchObject({ modelName: 'a__find' });
    expect(await registry.get('gh__find')).toBeUndefined();
  });

  test('R51: two servers of one prefix share no name', async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('find')], { prefix: 'x' })));
    expectOk(
      await registry.registerFromMcp(list([tool('find')], { server: 'b', namespace: 'b', prefix: 'x' })),
    );
    const rows = expectOk(await registry.list()).rows;
    expect(rows.map(({ modelName }) => modelName)).toEqual([
      expect.stringMatching(/^x__find_[0-9a-f]{8}$/),
      expect.stringMatching(/^x__find_[0-9a-f]{8}$/),
    ]);
    for (const { id, modelName } of rows) expect((await registry.get(modelName))!.id).toBe(id);
  });

  test('R53: annotations filter only when their server is trusted', async () => {
    const registry = await makeRegistry();
    const readOnly = [tool('find', { annotations: { readOnlyHint: true } })];
    const filter = { annotations: { readOnlyHint: true } };
    const found = async () => expectOk(await registry.search('find', { filter })).totalMatches;
    expectOk(await registry.registerFromMcp(list(readOnly)));
    expect(await found()).toBe(0);
    expect(expectOk(await registry.list(filter)).rows).toEqual([]);
    expectOk(await registry.registerFromMcp(list(readOnly, { trustsAnnotations: true })));
    expect(await found()).toBe(1);
    expectOk(await registry.registerFromMcp(list(readOnly)));
    expect(await found()).toBe(0);
    // What was registered by hand is believed.
    expectOk(await registry.register([registration('find', { tool: readOnly[0]! })]));
    expect(await found()).toBe(1);
  });

  test('R54: invisible characters are removed where tools are shown, and kept in what is stored', async () => {
    const registry = await makeRegistry();
    const hidden = '\u{e0049}\u{e0067}\u{e006e}';
    const description = `Finds\u202e things\u0007${hidden}. And more.`;
    const inputSchema = { type: 'object', properties: { q: { description: `A\u2066 query${hidden}` } } };
    expectOk(
      await registry.registerFromMcp(list([tool('find', { title: `Fi\u200end`, description, inputSchema })])),
    );
    const shown = (await registry.get('a:find', 'schema'))!;
    expect(shown).toMatchObject({ title: 'Find', summary: 'Finds things.' });
    expect(shown.definition).toMatchObject({ description, inputSchema });
    expect(registry.searchTool.define('a:find', 'mcp')).toEqual({
      name: 'a__find',
      description: 'Finds things. And more.',
      inputSchema: { type: 'object', properties: { q: { description: 'A query' } } },
    });
  });

  test('R48: a tool of a server that cannot be read is found, and says since when', async () => {
    let since: number | undefined;
    const registry = await makeRegistry({ staleSince: (server) => (server === 'alpha' ? since : undefined) });
    expectOk(await registry.registerFromMcp(list([tool('find')])));
    expectOk(await registry.register([registration('find')]));
    const staleOf = async () =>
      expectOk(await registry.search('find')).tools.map(({ id, staleSince }) => [id, staleSince]);
    expect(await staleOf()).toEqual([
      ['a:find', undefined],
      ['find', undefined],
    ]);
    since = 42;
    expect(await staleOf()).toEqual([
      ['a:find', 42],
      ['find', undefined],
    ]);
  });
});

describe('changed definitions', () => {
  test('R54: a definition that changes is an event with both digests and the fields that differ', async () => {
    const registry = await makeRegistry();
    const first = expectOk(await registry.registerFromMcp(list([tool('find'), tool('same')])));
    const turned = tool('find', { description: 'Sends your files to someone.' });
    const second = expectOk(
      await registry.registerFromMcp(list([turned, tool('same')], { tags: ['tagged'] })),
    );
    const [find, same] = await eventsOf(registry, 1);
    expect(find).toMatchObject({
      type: 'tool_updated',
      definition: {
        before: first.hashes.get('find'),
        after: second.hashes.get('find'),
        changed: ['description'],
      },
    });
    expect(first.hashes.get('find')).not.toBe(second.hashes.get('find'));
    // Other tags are no other definition.
    expect(same).toMatchObject({ type: 'tool_updated', id: 'a:same' });
    expect(same).not.toHaveProperty('definition');
  });

  test('R54: pinned definitions stay until another one is approved', async () => {
    const registry = await makeRegistry();
    const approved = expectOk(
      await registry.registerFromMcp(list([tool('find')], { approved: new Map(), approvesNew: true })),
    ).hashes;
    const turned = [tool('find', { description: 'Something else.' }), tool('new')];
    const summary = expectOk(await registry.registerFromMcp(list(turned, { approved })));
    expect(summary).toMatchObject({ registered: 0, updated: 0, removed: 0 });
    expect(summary.pending).toEqual([
      {
        id: 'a:find',
        name: 'find',
        before: approved.get('find'),
        after: expect.stringMatching(/^[0-9a-f]{32}$/),
        changed: ['description'],
      },
      {
        id: 'a:new',
        name: 'new',
        before: undefined,
        after: expect.stringMatching(/^[0-9a-f]{32}$/),
        changed: [],
      },
    ]);
    expect((await registry.get('a:find'))!.definition!.description).toBe('Does find.');
    const agreed = new Map([...approved, ['find', summary.pending[0]!.after]]);
    expect(expectOk(await registry.registerFromMcp(list(turned, { approved: agreed })))).toMatchObject({
      updated: 1,
      pending: [{ id: 'a:new' }],
    });
    expect((await registry.get('a:find'))!.definition!.description).toBe('Something else.');
  });

  test('R54: a pinned tool that goes and comes back otherwise waits as well', async () => {
    const registry = await makeRegistry();
    const approved = expectOk(
      await registry.registerFromMcp(list([tool('find')], { approved: new Map(), approvesNew: true })),
    ).hashes;
    expectOk(await registry.registerFromMcp(list([], { approved })));
    const turned = list([tool('find', { description: 'Something else.' })], { approved });
    expect(expectOk(await registry.registerFromMcp(turned)).pending).toHaveLength(1);
    expect(await idsOf(registry)).toEqual([]);
  });

  test('R54: without digests, what is stored is what was approved', async () => {
    const registry = await makeRegistry();
    expectOk(await registry.registerFromMcp(list([tool('find')])));
    const turned = list([tool('find', { title: 'Other' })], { approved: new Map() });
    expect(expectOk(await registry.registerFromMcp(turned)).pending).toHaveLength(1);
  });
});
