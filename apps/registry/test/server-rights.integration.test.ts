import { readServers } from '@winnow/mcp';
import { MCP_PROCESS, type ScriptedMcpServer, scriptedTool, startMcpServer } from '@winnow/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ask as askAt, memoryStore, start, type TestRegistry, tool } from './start.ts';

const NAMESPACES = { admin: undefined, mine: ['mine'], sales: ['sales', 'crm'] } as const;
type Name = keyof typeof NAMESPACES;

const tokenOf = (name: Name) => `token-of-${name}-0123456789`;

const TOKENS = (Object.keys(NAMESPACES) as Name[]).map((name) => ({
  name,
  token: tokenOf(name),
  tenant: 'default',
  rights: ['read', 'write', 'servers'] as const,
  namespaces: NAMESPACES[name],
}));

async function startServer(parts: Parameters<typeof startMcpServer>[0] = {}): Promise<ScriptedMcpServer> {
  const server = await startMcpServer(parts);
  onTestFinished(() => server.close());
  return server;
}

/** Settings with the servers of a configuration. */
const configured = (mcpServers: Readonly<Record<string, unknown>>) => {
  const { entries, problems } = readServers(JSON.stringify({ mcpServers }), {});
  expect(problems).toEqual([]);
  return { servers: entries, tokens: TOKENS };
};

function asker({ api }: Pick<TestRegistry, 'api'>) {
  return (name: Name, method: string, path: string, body?: unknown) =>
    askAt(method, `${api}${path}`, body, { authorization: `Bearer ${tokenOf(name)}` });
}

async function untilUp(as: ReturnType<typeof asker>, name: string, state = 'up') {
  await vi.waitFor(
    async () => expect((await as('admin', 'GET', `/servers/${name}`)).body.state).toBe(state),
    { timeout: 30_000, interval: 20 },
  );
}

/** The text with which a front door answers a call. */
async function callAs(name: Name, { url }: TestRegistry, called: string, path = '/mcp'): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${tokenOf(name)}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'call_tool', arguments: { name: called, arguments: {} } },
    }),
  });
  return response.text();
}

const on = (server: string, name: string, namespace: string, more: object = {}) =>
  tool(name, { namespace, backend: { kind: 'mcp', server }, ...more });

const CRM_TOOLS = [scriptedTool('wipe'), scriptedTool('look'), scriptedTool('admin_drop')];
const READS = { annotations: { readOnlyHint: true } };

test('R76: a limited token registers no tool on a server that it cannot see, and learns nothing of it', async () => {
  const server = await startServer({ tools: CRM_TOOLS });
  const registry = await start(configured({ crm: { url: server.url } }));
  const as = asker(registry);
  await untilUp(as, 'crm');
  const refused = await as('mine', 'PUT', '/tools', { tools: [on('crm', 'wipe', 'mine', READS)] });
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  const unknown = await as('mine', 'PUT', '/tools', { tools: [on('never', 'wipe', 'mine', READS)] });
  expect({ ...unknown.body, request_id: '' }).toEqual({ ...refused.body, request_id: '' });
  expect(await callAs('mine', registry, 'mine:wipe')).toContain('unknown_tool');
  // With a right on the server, still only in a namespace that the server serves.
  expect(await as('sales', 'PUT', '/tools', { tools: [on('crm', 'look', 'sales')] })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_backend', message: expect.stringContaining('share_with') } },
  });
});

test('R77: a registered tool reaches no more than what its server lists, on every path', async () => {
  const server = await startServer({ tools: CRM_TOOLS });
  const registry = await start(
    configured({
      crm: { url: server.url, exclude: ['admin_*'], trust: 'annotations', share_with: ['mine'] },
    }),
  );
  const as = asker(registry);
  await untilUp(as, 'crm');
  const tools = [
    on('crm', 'wipe', 'mine', READS),
    on('crm', 'admin_drop', 'mine', READS),
    on('crm', 'reset', 'mine', READS),
  ];
  expect(await as('mine', 'PUT', '/tools', { tools })).toMatchObject({ status: 200 });
  for (const name of ['mine:admin_drop', 'mine:reset']) {
    for (const path of ['/mcp', '/mcp/read-only']) {
      expect(await callAs('mine', registry, name, path)).toMatch(/not_allowed|not_read_only/);
    }
  }
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
  expect(await callAs('mine', registry, 'mine:wipe')).not.toContain('not_allowed');
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  expect(await as('admin', 'GET', '/servers/crm')).toMatchObject({
    body: {
      refused: [
        { id: 'mine:admin_drop', reason: 'excluded' },
        { id: 'mine:reset', reason: 'not_listed' },
      ],
    },
  });
});

test('R78: what a registrant says of a shared tool does not open the read-only door', async () => {
  const tools = [scriptedTool('wipe'), scriptedTool('look', READS)];
  const server = await startServer({ tools });
  const registry = await start(
    configured({ crm: { url: server.url, trust: 'annotations', share_with: ['mine'] } }),
  );
  const as = asker(registry);
  await untilUp(as, 'crm');
  const claimed = { tools: [on('crm', 'wipe', 'mine', READS), on('crm', 'look', 'mine', READS)] };
  expect(await as('mine', 'PUT', '/tools', claimed)).toMatchObject({ status: 200 });
  const filter = { query: 'wipe', filters: { annotations: { readOnlyHint: true } } };
  expect(await as('mine', 'POST', '/search', filter)).toMatchObject({ body: { total_matches: 0 } });
  expect(await callAs('mine', registry, 'mine:wipe', '/mcp/read-only')).toContain('not_read_only');
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
  expect(await callAs('mine', registry, 'mine:look', '/mcp/read-only')).not.toContain('not_read_only');
});

test('R77: what was registered before its server was there is listed, named, and not called', async () => {
  const server = await startServer({ tools: CRM_TOOLS });
  const store = memoryStore();
  const before = await start({ tokens: TOKENS }, { store });
  const tools = [on('crm', 'wipe', 'mine', READS)];
  expect(await asker(before)('admin', 'PUT', '/tools', { tools })).toMatchObject({ status: 200 });
  await before.close();
  const registry = await start(configured({ crm: { url: server.url, trust: 'annotations' } }), { store });
  const as = asker(registry);
  await untilUp(as, 'crm');
  expect(registry.logs()).toContainEqual(
    expect.objectContaining({
      event: 'mcp_tools_refused',
      server: 'crm',
      tools: ['mine:wipe: not_shared'],
    }),
  );
  expect(await as('admin', 'GET', '/servers/crm')).toMatchObject({
    body: { refused: [{ id: 'mine:wipe', reason: 'not_shared' }] },
  });
  expect(await as('sales', 'GET', '/servers/crm')).toMatchObject({ body: { refused: [] } });
  expect(await as('mine', 'GET', '/tools/mine:wipe')).toMatchObject({ status: 200 });
  expect(await callAs('mine', registry, 'mine:wipe')).toMatch(/not_allowed.*share_with/);
  expect(await callAs('mine', registry, 'mine:wipe', '/mcp/read-only')).toContain('not_read_only');
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toEqual([]);
});

test('R79: another address needs the secrets again, and is not asked with the stored ones', async () => {
  const [first, second] = [await startServer({ tools: CRM_TOOLS }), await startServer({ tools: CRM_TOOLS })];
  const registry = await start({ tokens: TOKENS });
  const as = asker(registry);
  const secret = 'Bearer of-the-operator';
  await as('admin', 'POST', '/servers', {
    name: 'mine:crm',
    url: first.url,
    headers: { authorization: secret },
    auth: { type: 'bearer', token: 'another-secret-of-the-operator' },
  });
  await untilUp(as, 'mine:crm');
  for (const change of [
    { url: second.url },
    { url: null, serverUrl: second.url },
    { url: second.url, headers: null },
    { url: second.url, auth: null },
  ]) {
    expect(await as('mine', 'PATCH', '/servers/mine:crm', change)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  }
  expect(second.requests).toEqual([]);
  // Everything else can change, and with the secrets the address, too.
  expect(await as('mine', 'PATCH', '/servers/mine:crm', { tags: ['a'] })).toMatchObject({ status: 200 });
  const anew = { url: second.url, headers: { authorization: 'Bearer of-mine' }, auth: null };
  expect(await as('mine', 'PATCH', '/servers/mine:crm', anew)).toMatchObject({ status: 200 });
  await untilUp(as, 'mine:crm');
  expect(new Set(second.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer of-mine']),
  );
});

test('R80: a limited token cannot tell whether a server out of sight has a name', async () => {
  const server = await startServer({ tools: CRM_TOOLS });
  const registry = await start(configured({ crm: { url: server.url } }));
  const as = asker(registry);
  const add = (name: string, more: object = {}) =>
    as('mine', 'POST', '/servers', { name, url: server.url, namespace: 'mine', ...more });
  const [taken, free] = [await add('crm'), await add('free')];
  expect(taken).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect({ ...free.body, request_id: '' }).toEqual({ ...taken.body, request_id: '' });
  expect(await add('mine:crm')).toMatchObject({ status: 200 });
  expect(await add('mine:crm')).toMatchObject({ status: 409, body: { error: { code: 'server_exists' } } });
  expect(await add('mine:open', { share_with: ['crm'] })).toMatchObject({ status: 403 });
  // Names of that form are for servers of the namespace for every caller.
  expect(
    await as('admin', 'POST', '/servers', { name: 'mine:x', url: server.url, namespace: 'crm' }),
  ).toMatchObject({ status: 400 });
});

test('R80: the statistics of a limited token are its own', async () => {
  const registry = await start({ tokens: TOKENS });
  const as = asker(registry);
  const before = (await as('mine', 'GET', '/stats')).body;
  await as('admin', 'PUT', '/tools', { tools: [tool('hidden', { namespace: 'crm' })] });
  await as('admin', 'POST', '/search', { query: 'hidden' });
  const after = (await as('mine', 'GET', '/stats')).body;
  expect({ ...after, version: 0 }).toEqual({ ...before, version: 0 });
  expect(after).not.toHaveProperty('index_bytes');
  expect(after).not.toHaveProperty('result_cache');
  expect((await as('admin', 'GET', '/stats')).body).toMatchObject({ index_bytes: expect.any(Number) });
});

test('R5: the service replaces a definition unless the request refuses it', async () => {
  const as = asker(await start({ tokens: TOKENS }));
  const [one, other] = [tool('x'), tool('x', { description: 'Other.' })];
  await as('admin', 'PUT', '/tools', { tools: [one] });
  const put = (body: object) => as('admin', 'PUT', '/tools', { tools: [other], ...body });
  expect(await put({ on_difference: 'refuse' })).toMatchObject({
    status: 409,
    body: { error: { code: 'tool_conflict' } },
  });
  expect(await put({})).toMatchObject({ status: 200, body: { updated: 1 } });
});

test('R81: callers with tokens of their own have processes of their own, unless the server is shared', async () => {
  const process_ = { command: process.execPath, args: [MCP_PROCESS, '{}'] };
  const registry = await start(
    configured({ crm: process_, all: { ...process_, isolation: 'none', namespace: 'sales' } }),
  );
  const as = asker(registry);
  await Promise.all([untilUp(as, 'crm'), untilUp(as, 'all')]);
  for (const name of ['admin', 'sales', 'admin'] as const) {
    for (const called of ['crm:echo', 'sales:echo']) {
      expect(await callAs(name, registry, called)).toContain('echo');
    }
  }
  expect((await as('admin', 'GET', '/servers')).body.servers).toMatchObject([
    { name: 'all', isolation: 'none', processes: 0 },
    { name: 'crm', isolation: 'token', processes: 2 },
  ]);
  const alone = await start({ ...configured({ crm: process_ }), tokens: TOKENS.slice(0, 1) });
  expect((await asker(alone)('admin', 'GET', '/servers/crm')).body).toMatchObject({ isolation: 'none' });
});
