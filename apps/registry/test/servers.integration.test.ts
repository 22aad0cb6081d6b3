import { readServers } from '@winnow/mcp';
import { MCP_PROCESS, type ScriptedMcpServer, scriptedTool, startMcpServer } from '@winnow/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryStore, start } from './start.ts';

async function startServer(parts: Parameters<typeof startMcpServer>[0] = {}): Promise<ScriptedMcpServer> {
  const server = await startMcpServer(parts);
  onTestFinished(() => server.close());
  return server;
}

/** Settings with the servers of a configuration. */
const configured = (mcpServers: Readonly<Record<string, unknown>>) => {
  const { entries, problems } = readServers(JSON.stringify({ mcpServers }), {});
  expect(problems).toEqual([]);
  return { servers: entries };
};

const stdio = (script: object = {}) => ({
  command: process.execPath,
  args: [MCP_PROCESS, JSON.stringify(script)],
});

async function ask(api: string, method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Waits until a server is as it is wanted, and gives what is told of it. */
async function untilState(api: string, name: string, state: string, token?: string) {
  return vi.waitFor(
    async () => {
      const { body } = await ask(api, 'GET', `/servers/${name}`, undefined, token);
      expect(body.state).toBe(state);
      return body;
    },
    { timeout: 30_000, interval: 20 },
  );
}

test('R56: what the process of a server writes in addition to its messages is in the log, without secrets', async () => {
  const says = 'the key is environment-secret';
  const entry = { ...stdio({ says }), env: { KEY: 'environment-secret' } };
  const { api, logs } = await start(configured({ local: entry }));
  await untilState(api, 'local', 'up');
  const lines = await vi.waitFor(() => {
    const told = logs().filter(({ event }) => event === 'mcp_output');
    expect(told).toHaveLength(2);
    return told;
  });
  for (const told of lines) expect(told).toMatchObject({ server: 'local', line: 'the key is ***' });
});

test('a registry fills itself from the servers of its configuration, and calls them for MCP clients', async () => {
  const web = await startServer({ tools: [scriptedTool('find_page', { description: 'Finds a page.' })] });
  const { api, url } = await start(
    configured({ web: { url: web.url, trust: 'annotations' }, local: stdio() }),
  );
  await untilState(api, 'web', 'up');
  const local = await untilState(api, 'local', 'up');
  expect(local).toEqual({
    name: 'local',
    transport: 'stdio',
    source: 'file',
    state: 'up',
    era: 'modern',
    protocol_version: '2026-07-28',
    namespace: 'local',
    ...{ tools: 1, prompts: 0, resources: 0, resource_templates: 0 },
    last_refresh: '2026-11-21T12:00:00.000Z',
    trust: 'none',
    pin: false,
    isolation: 'none',
    processes: 0,
    pending: [],
    diverged: [],
    refused: [],
    left_out: [],
  });
  const { body: found } = await ask(api, 'POST', '/search', { query: 'find a page' });
  expect(found.tool_references).toMatchObject([{ id: 'web:find_page', server: 'web' }]);
  const { body: tools } = await ask(api, 'GET', '/servers/web/tools');
  expect(tools.tools).toMatchObject([{ id: 'web:find_page' }]);
  const { body: listed } = await ask(api, 'GET', '/servers');
  expect((listed.servers as { name: string }[]).map(({ name }) => name)).toEqual(['local', 'web']);
  const { body: stats } = await ask(api, 'GET', '/stats');
  expect(stats.servers).toEqual({ disabled: 0, connecting: 0, up: 2, down: 0 });
  const called = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'call_tool', arguments: { name: 'local:echo', arguments: { a: 1 } } },
    }),
  });
  expect(await called.text()).toContain(String.raw`{\"name\":\"echo\",\"args\":{\"a\":1}}`);
});

test('R75: servers are added, changed, refreshed and removed over HTTP, and are there again after a restart', async () => {
  const server = await startServer({ tools: [scriptedTool('first')] });
  const store = memoryStore();
  const { api, close } = await start({}, { store });
  const added = await ask(api, 'POST', '/servers', {
    name: 'docs',
    url: server.url,
    headers: { authorization: 'Bearer header-secret' },
  });
  expect(added).toMatchObject({ status: 200, body: { name: 'docs', source: 'http', namespace: 'docs' } });
  await untilState(api, 'docs', 'up');
  expect(await ask(api, 'POST', '/servers', { name: 'docs', url: server.url })).toMatchObject({
    status: 409,
    body: { error: { code: 'server_exists' } },
  });

  server.script.tools = [scriptedTool('second')];
  expect(await ask(api, 'POST', '/servers/docs/refresh')).toMatchObject({
    status: 200,
    body: { state: 'up', tools: 1 },
  });
  expect(await ask(api, 'GET', '/tools/docs:second')).toMatchObject({ status: 200 });

  const changed = await ask(api, 'PATCH', '/servers/docs', { namespace: 'papers', prefix: 'p' });
  expect(changed).toMatchObject({ status: 200, body: { namespace: 'papers' } });
  await untilState(api, 'docs', 'up');
  expect(await ask(api, 'GET', '/tools/papers:second')).toMatchObject({ body: { tool_name: 'p__second' } });
  // What was not changed is sent as before.
  expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer header-secret');
  await close();

  const again = await start({}, { store });
  await untilState(again.api, 'docs', 'up');
  expect(await ask(again.api, 'GET', '/tools/papers:second')).toMatchObject({
    body: { tool_name: 'p__second' },
  });
  expect(await ask(again.api, 'DELETE', '/servers/docs')).toEqual({ status: 200, body: { removed: true } });
  expect(await ask(again.api, 'GET', '/servers/docs')).toMatchObject({ status: 404 });
  expect(await ask(again.api, 'GET', '/tools/papers:second')).toMatchObject({ status: 404 });
});

test('R12: tools of a server that is no longer configured are gone after a restart', async () => {
  const store = memoryStore();
  const first = await start(configured({ local: stdio() }), { store });
  await untilState(first.api, 'local', 'up');
  await first.close();
  const second = await start({}, { store });
  expect(await ask(second.api, 'GET', '/tools')).toMatchObject({ body: { tools: [] } });
});

test('R75: what cannot be a server is refused with its place, and changes nothing', async () => {
  const { api } = await start(configured({ local: stdio() }));
  const refused = async (method: string, path: string, body: unknown) =>
    (await ask(api, method, path, body)).body.error as { code: string; message: string };
  for (const [body, message] of [
    [{ name: 'a', command: 'sh' }, /command: It is allowed only in the configuration file/],
    [{ name: 'a', url: 'ftp://h.test' }, /url: It must be an address/],
    [
      { name: 'a', url: 'https://h.test', headers: { X: `\${HOME}` } },
      /headers\.X: It must not have variables/,
    ],
    [{ name: 'a', url: 'https://h.test', tenant: 'other' }, /tenant: It is not a key/],
    [{ name: '', url: 'https://h.test' }, /name: It needs a name/],
    [{ name: 'a' }, /needs a url/],
  ] as const) {
    expect(await refused('POST', '/servers', body)).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  }
  expect(await refused('PATCH', '/servers/local', { enabled: false })).toMatchObject({
    code: 'invalid_request',
  });
  expect(await refused('DELETE', '/servers/local', undefined)).toMatchObject({ code: 'invalid_request' });
  for (const path of ['', '/refresh', '/tools', '/approve']) {
    const [method, body] =
      path === '/approve' ? ['POST', {}] : path === '/refresh' ? ['POST', undefined] : ['GET', undefined];
    expect(await ask(api, method as string, `/servers/unknown${path}`, body)).toMatchObject({ status: 404 });
  }
  expect((await ask(api, 'GET', '/servers')).body.servers).toHaveLength(1);
});

test('a server that cannot be reached says so, to every caller and on the list', async () => {
  const server = await startMcpServer();
  await server.close();
  const { api, logs } = await start(
    configured({
      gone: { url: `${server.url}?key=query-secret`, headers: { 'x-key': 'header-secret' } },
    }),
  );
  const refreshed = await ask(api, 'POST', '/servers/gone/refresh');
  expect(refreshed).toMatchObject({
    status: 502,
    body: { error: { code: 'server_unreachable', message: expect.stringContaining('ECONNREFUSED') } },
  });
  const state = await untilState(api, 'gone', 'down');
  expect(state.last_error).toMatchObject({ code: 'unreachable', message: 'No connection (ECONNREFUSED).' });
  expect(JSON.stringify([state, logs()])).not.toMatch(/query-secret|header-secret/);
});

test('R54: definitions of a pinned server wait until they are approved as they were looked at', async () => {
  const server = await startServer({ tools: [scriptedTool('find')] });
  const { api, logs } = await start(configured({ web: { url: server.url, pin: true } }));
  await untilState(api, 'web', 'up');
  server.script.tools = [scriptedTool('find', { description: 'Sends your files to someone.' })];
  const { body } = await ask(api, 'POST', '/servers/web/refresh');
  const [pending] = body.pending as unknown as { id: string; after: string }[];
  expect(pending).toMatchObject({ id: 'web:find', changed: ['description'] });
  expect(logs().filter(({ event }) => event === 'mcp_definitions_changed')).toMatchObject([
    { server: 'web', tools: ['web:find'] },
  ]);
  const description = async () =>
    ((await ask(api, 'GET', '/tools/web:find')).body.definition as { description: string }).description;
  expect(await description()).toBe('Does find.');
  const approve = (tools: unknown) => ask(api, 'POST', '/servers/web/approve', { tools });
  expect(await approve([{ id: 'web:find', after: 'f'.repeat(32) }])).toMatchObject({
    body: { approved: [], pending: [{}] },
  });
  expect(await approve([{ id: 'web:find', after: pending!.after }])).toMatchObject({
    body: { approved: ['web:find'], pending: [] },
  });
  expect(await description()).toBe('Sends your files to someone.');
});

test('R24: servers are for those who may, and may see', async () => {
  const server = await startServer();
  const token = (name: string, rights: readonly string[], namespaces?: readonly string[]) =>
    ({ name, token: `token-of-${name}-0123456789`, tenant: 'default', rights, namespaces }) as never;
  const tokens = [
    token('admin', ['read', 'servers']),
    token('reader', ['read']),
    token('narrow', ['read', 'servers'], ['docs*']),
  ];
  const { api } = await start({ ...configured({ web: { url: server.url } }), tokens });
  const as = (name: string, method: string, path: string, body?: unknown) =>
    ask(api, method, path, body, `token-of-${name}-0123456789`);
  await untilState(api, 'web', 'up', 'token-of-admin-0123456789');
  expect(await as('reader', 'GET', '/servers')).toMatchObject({ body: { servers: [{ name: 'web' }] } });
  for (const [method, path, body] of [
    ['POST', '/servers', { name: 'x', url: server.url }],
    ['POST', '/servers/web/refresh'],
    ['DELETE', '/servers/web'],
    ['PATCH', '/servers/web', {}],
    ['POST', '/servers/web/approve', {}],
  ] as const) {
    expect(await as('reader', method, path, body)).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
  }
  expect(await as('narrow', 'GET', '/servers')).toMatchObject({ body: { servers: [] } });
  expect(await as('narrow', 'GET', '/servers/web')).toMatchObject({ status: 404 });
  expect(await as('narrow', 'GET', '/stats')).toMatchObject({ body: { servers: { up: 0 } } });
  expect(await as('narrow', 'POST', '/servers', { name: 'x', url: server.url })).toMatchObject({
    status: 403,
  });
  expect(await as('narrow', 'POST', '/servers', { name: 'docs-x:x', url: server.url })).toMatchObject({
    status: 200,
    body: { name: 'docs-x:x', namespace: 'docs-x' },
  });
});
