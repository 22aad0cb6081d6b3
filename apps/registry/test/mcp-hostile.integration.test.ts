import { describe, expect, test } from 'vitest';
import { FakeServers } from './fake-servers.ts';
import { ask, register, start, tool } from './start.ts';

async function startDoor(settings: Parameters<typeof start>[0] = {}) {
  const servers = new FakeServers();
  const registry = await start(settings, { serversOf: () => servers });
  await register(registry, [tool('create', { namespace: 'jira', backend: { kind: 'mcp', server: 'jira' } })]);
  return { registry, servers, url: `${registry.url}/mcp` };
}

const ACCEPT = { accept: 'application/json, text/event-stream' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request as a modern client sends it. */
function send(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  return ask(
    'POST',
    url,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
  );
}

const call = (args: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  ({ name: 'call_tool', arguments: args, ...more }) as const;
const NAMED = { 'mcp-name': 'call_tool' };

/** Whether a well-behaved client is still served. */
async function expectServed(url: string): Promise<void> {
  const { status, body } = await send(url, 'tools/call', call({ name: 'create', arguments: {} }), NAMED);
  expect([status, body]).toMatchObject([200, { result: { content: [{ text: 'create is done' }] } }]);
}

describe('what no client should send', () => {
  test.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['an empty body', '', 400, 'invalid_json'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'invalid_json'],
  ])('%s is refused', async (_, body, status, code) => {
    const { url } = await startDoor();
    expect(await ask('POST', url, body, ACCEPT)).toMatchObject({ status, body: { error: { code } } });
    await expectServed(url);
  });

  test.each([
    ['a number', 1],
    ['null', null],
    ['an empty list', []],
    ['an object that is no message', { a: 1 }],
    ['a message without a version', { id: 1, method: 'tools/list' }],
    [
      'a batch of too many',
      Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
    ],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'tools/list' }],
    ['parameters that are a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }],
  ])('%s is refused', async (_, message) => {
    const { url } = await startDoor();
    const { status, body } = await ask('POST', url, message, ACCEPT);
    expect([status, body]).toMatchObject([400, { error: { code: expect.any(Number) } }]);
    await expectServed(url);
  });

  test('a body that is too large, in bytes or unpacked, is refused while it comes', async () => {
    const { url } = await startDoor({ maxBodyBytes: 10_000 });
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { a: 'x'.repeat(20_000) },
    });
    const { gzipSync } = await import('node:zlib');
    for (const [body, headers] of [
      [large, {}],
      [gzipSync(large), { 'content-encoding': 'gzip' }],
    ] as const) {
      const response = await ask('POST', url, body, {
        ...ACCEPT,
        ...headers,
        'content-type': 'application/json',
      });
      expect(response).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
    }
    await expectServed(url);
  });

  test('nesting without end is refused, or not followed', async () => {
    const { url, servers } = await startDoor();
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"create","arguments":{"a":${deep}}},"_meta":${JSON.stringify(META)}}}`;
    const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', ...NAMED };
    const { status } = await ask('POST', url, body, { ...headers, 'content-type': 'application/json' });
    expect(status).toBeLessThan(600);
    expect(servers.received).toEqual([]);
    await expectServed(url);
  });

  test.each([
    ['another method than its body', { 'mcp-method': 'tools/list' }],
    ['another tool than its body', { 'mcp-name': 'search_tools' }],
    ['another revision than its body', { 'mcp-protocol-version': '2025-11-25' }],
    ['a revision that is none', { 'mcp-protocol-version': 'tomorrow' }],
  ])('a request whose head says %s is refused', async (_, headers) => {
    const { url, servers } = await startDoor();
    const { status, body } = await send(url, 'tools/call', call({ name: 'create', arguments: {} }), {
      ...NAMED,
      ...headers,
    });
    expect([status, body]).toMatchObject([400, { error: { code: expect.any(Number) } }]);
    expect(servers.received).toEqual([]);
  });

  test.each([
    ['a revision of the future', '2199-01-01'],
    ['no revision', undefined],
    ['a number', 7],
  ])('%s in the body is refused', async (_, version) => {
    const { url } = await startDoor();
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': version };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    const headers = {
      ...ACCEPT,
      'mcp-method': 'tools/list',
      'mcp-protocol-version': String(version ?? '2026-07-28'),
    };
    expect((await ask('POST', url, message, headers)).status).toBe(400);
  });

  test('another media type and another method are refused', async () => {
    const { url } = await startDoor();
    expect(await ask('POST', url, '{}', { ...ACCEPT, 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
    });
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await ask(method, url, undefined, ACCEPT);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ask('POST', url, message, { accept: 'text/html' })).status).toBe(406);
  });

  test.each(['no such method', 'tasks/list', 'sampling/createMessage', '__proto__', 'tools/call/x'])(
    'the method %s is not found',
    async (method) => {
      const { url } = await startDoor();
      expect((await send(url, method)).body).toMatchObject({ error: { code: -32601 } });
    },
  );

  test('pages of other origins are refused, and those of this machine are not', async () => {
    const { url, servers } = await startDoor();
    const from = async (origin: string) => (await send(url, 'tools/list', {}, { origin })).status;
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://']) {
      expect([origin, await from(origin)]).toEqual([origin, 403]);
    }
    for (const origin of [
      'http://localhost:6274',
      'http://127.0.0.1',
      'http://[::1]:1',
      new URL(url).origin,
    ]) {
      expect([origin, await from(origin)]).toEqual([origin, 200]);
    }
    expect(servers.received).toEqual([]);
  });

  test('without tokens, another name of this machine is refused', async () => {
    const { registry } = await startDoor();
    const { request } = await import('node:http');
    const { port } = new URL(registry.url);
    const status = await new Promise((resolve) => {
      const headers = { host: 'rebound.example', 'content-type': 'application/json' };
      request({ port, path: '/mcp', method: 'POST', headers }, (response) =>
        resolve(response.statusCode),
      ).end('{}');
    });
    expect(status).toBe(403);
  });

  test('without a token, or with a wrong one, nothing is read', async () => {
    const { url } = await startDoor();
    const tokens = [
      { name: 'a', token: 'token-0123456789abcdef', tenant: 'a', rights: ['write'], namespaces: undefined },
    ] as const;
    const guarded = await start({ tokens }, {});
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: 'Bearer wrong' }, 401],
      [{ authorization: 'Bearer token-0123456789abcdef' }, 403],
    ] as const) {
      expect((await ask('POST', `${guarded.url}/mcp`, '{', { ...ACCEPT, ...headers })).status).toBe(status);
    }
    await expectServed(url);
  });

  test('R63: a requestState that was made up is an error of the protocol, and reaches no server', async () => {
    const { url, servers } = await startDoor();
    for (const requestState of ['', 'x', 'w1.e30.AAAA', `w1.${'A'.repeat(100_000)}.x`, '\u0000', 'w1..']) {
      const params = call({ name: 'create', arguments: {} }, { requestState, inputResponses: {} });
      const { status, body } = await send(url, 'tools/call', params, NAMED);
      expect([status, body]).toMatchObject([
        200,
        { error: { code: -32602, message: 'Invalid or expired requestState' } },
      ]);
    }
    expect(servers.received).toEqual([]);
  });

  test('R61: names and arguments of every kind are answered', async () => {
    const { url, servers } = await startDoor();
    const odd = [
      null,
      1,
      true,
      '',
      ' ',
      [],
      {},
      '__proto__',
      'constructor',
      'a:b:c',
      '\u0000',
      '💥',
      'x'.repeat(1e6),
    ];
    for (const name of odd) {
      const { status, body } = await send(url, 'tools/call', call({ name, arguments: {} }), NAMED);
      expect([status, body]).toMatchObject([200, { result: { isError: true } }]);
    }
    for (const args of [1, 'x', [], '[]', '{', true]) {
      const { body } = await send(url, 'tools/call', call({ name: 'create', arguments: args }), NAMED);
      expect(body).toMatchObject({ result: { isError: true } });
    }
    for (const listed of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const { body } = await send(url, 'tools/call', { name: listed, arguments: {} }, { 'mcp-name': listed });
      expect(body).toMatchObject({ error: { code: -32602 } });
    }
    expect(servers.received).toEqual([]);
  });

  test('a flood of searches is answered or told to come back, and the service continues', async () => {
    const { url } = await startDoor({ maxWaiting: 8 });
    const flood = Array.from({ length: 200 }, (_, n) =>
      send(
        url,
        'tools/call',
        { name: 'search_tools', arguments: { query: `x${n}` } },
        { 'mcp-name': 'search_tools' },
      ),
    );
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
    await expectServed(url);
  });

  test('a server that defects is an error of the protocol that says nothing of it', async () => {
    const { registry, url, servers } = await startDoor();
    servers.answer = () => {
      throw new TypeError('secret of the inside');
    };
    const { body } = await send(url, 'tools/call', call({ name: 'create', arguments: {} }), NAMED);
    expect(JSON.stringify(body)).not.toContain('secret of the inside');
    expect(body).toMatchObject({ error: { code: -32603 } });
    expect(registry.logs().filter(({ event }) => event === 'mcp_failed')).toHaveLength(1);
  });
});
