import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { playModel } from '@winnow/testkit';
import { AzureOpenAI } from 'openai';
import { describe, expect, test } from 'vitest';
import { bodyOf, FEW_TOOLS, loadBy, send } from './raw-client.ts';
import { startStack } from './start-stack.ts';

/** Details that must survive: odd white space, numbers of any length, escapes, a duplicate key. */
const ODD =
  '{ "model" : "m",\t"seed": 12345678901234567890, "temperature": 1.0, "x": "\\u00e9", "x": 1e2,\r\n "messages": [] }';

describe('the proxy', () => {
  test.each([
    ['PUT', '/v1/anything/at/all'],
    ['POST', '/v1/chat/completions/extra'],
  ])('forwards %s %s untouched', async (method, path) => {
    const stack = await startStack({});
    const hasBody = method === 'POST' || method === 'PUT';
    const response = await fetch(stack.proxyUrl + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-unknown': 'kept' },
      ...(hasBody && { body: ODD }),
    });
    const [request] = stack.upstream.requests;
    expect([request!.method, request!.path, request!.text]).toEqual([method, path, hasBody ? ODD : '']);
    expect(request!.headers['x-unknown']).toBe('kept');
    expect(response.status).toBe(200);
    expect(stack.records).toEqual([]);
  });

  test.each([
    ['passthrough', { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'passthrough' }],
    ['rolled back', { PROXY_ROLLOUT_MODE: 'off' }],
  ])('forwards what it could handle untouched when it is %s', async (_, settings) => {
    const stack = await startStack({ model: playModel({ turns: [] }), settings });
    await (await send({ format: 'openai', url: stack.proxyUrl })).text();
    expect(stack.upstream.requests.map(({ text }) => text)).toEqual([bodyOf({ format: 'openai', url: '' })]);
  });

  test('sends a prefixed path to the upstream of that name', async () => {
    const other = await startStack({});
    const stack = await startStack({
      settings: {
        PROXY_UPSTREAMS_OTHER_BASE_URL: `${other.upstream.url}/base`,
        PROXY_UPSTREAMS_OTHER_FORMAT: 'openai',
      },
    });
    await fetch(`${stack.proxyUrl}/other/v1/models?x=1`);
    expect(other.upstream.requests.map(({ path }) => path)).toEqual(['/base/v1/models?x=1']);
    expect(stack.upstream.requests).toEqual([]);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
  ] as const)('reads requests in %s, and edits them', async (encoding, compress) => {
    const stack = await startStack({ model: playModel({ turns: [] }), settings: loadBy('swap') });
    const body = compress(Buffer.from(bodyOf({ format: 'openai', url: '' })));
    const response = await fetch(`${stack.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer key',
        'content-encoding': encoding,
      },
      body,
    });
    expect(response.status).toBe(200);
    const [request] = stack.upstream.requests;
    expect(request!.headers['content-encoding']).toBeUndefined();
    expect((request!.json as { tools: unknown[] }).tools).toHaveLength(1);
  });

  test("handles what Azure's client sends", async () => {
    const stack = await startStack({
      model: playModel({ turns: [{ answer: 'Hello.' }] }),
      settings: loadBy('swap'),
    });
    const client = new AzureOpenAI({
      endpoint: stack.proxyUrl,
      apiKey: 'key',
      apiVersion: '2026-01-01',
      deployment: 'mine',
      maxRetries: 0,
    });
    const tools = FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } }));
    await client.chat.completions
      .create({ model: 'gpt', messages: [{ role: 'user', content: 'hi' }], tools })
      // The scripted upstream has no such path; only the request that it received matters.
      .catch(() => {});
    const [request] = stack.upstream.requests;
    expect(request!.path).toBe('/openai/deployments/mine/chat/completions?api-version=2026-01-01');
    expect(request!.headers['api-key']).toBe('key');
    expect((request!.json as { tools: unknown[] }).tools).toHaveLength(1);
  });

  test('answers an upgrade to a WebSocket with 426', async () => {
    const stack = await startStack({});
    const { hostname, port } = new URL(stack.proxyUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      'GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    let text = '';
    for await (const piece of socket) text += piece;
    expect(text).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\n/);
    expect(stack.upstream.requests).toEqual([]);
  });

  test('answers over plain HTTP a client that offers to speak HTTP/2', async () => {
    const stack = await startStack({});
    const { hostname, port } = new URL(stack.proxyUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close, upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n',
    );
    let text = '';
    for await (const piece of socket) text += piece;
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    const [request] = stack.upstream.requests;
    expect(request!.headers.upgrade).toBeUndefined();
    expect(request!.headers['http2-settings']).toBeUndefined();
  });

  test.each(['http://elsewhere.example/v1/models', '*'])(
    'refuses the request line %s, which is no path of an upstream',
    async (requestTarget) => {
      const stack = await startStack({});
      const { hostname, port } = new URL(stack.proxyUrl);
      const socket = connect(Number(port), hostname);
      socket.write(`OPTIONS ${requestTarget} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      let text = '';
      for await (const piece of socket) text += piece;
      expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(stack.upstream.requests).toEqual([]);
    },
  );

  test.each([
    ['healthz', 200, 'ok'],
    ['readyz', 200, 'ready'],
    ['metrics', 200, 'winnow_proxy_exchanges_total'],
    ['nothing', 404, 'healthz'],
  ])('answers its own route %s', async (route, status, part) => {
    const stack = await startStack({});
    const response = await fetch(`${stack.proxyUrl}/_winnow/${route}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(part);
    expect(stack.upstream.requests).toEqual([]);
  });

  test('asks for tokens as the model will be asked', async () => {
    const stack = await startStack({ model: playModel({ turns: [] }) });
    const body = JSON.parse(bodyOf({ format: 'anthropic', url: '' }));
    const { max_tokens: _, stream: __, ...counted } = body;
    const response = await fetch(`${stack.proxyUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(counted),
    });
    expect(await response.json()).toMatchObject({ input_tokens: expect.any(Number) });
    const [request] = stack.upstream.requests;
    expect(request!.rejection).toBeUndefined();
    expect((request!.json as { tools: unknown[] }).tools).toHaveLength(2);
  });
});
