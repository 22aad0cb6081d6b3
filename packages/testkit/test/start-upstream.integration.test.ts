import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, say } from '../src/upstream/answer-parts.ts';
import { createGate } from '../src/upstream/gate.ts';
import { badRequest } from '../src/upstream/rejection.ts';
import { startUpstream } from '../src/upstream/start-upstream.ts';
import { askChat, askMessages, HEADERS, start } from './ask.ts';

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const hi = answer([say('Hi')]);

describe('a rejected request', () => {
  test('gets the error of OpenAI', async () => {
    const upstream = await start({ script: [hi] });
    const response = await askChat(upstream, { tools: [] });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        message:
          "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        type: 'invalid_request_error',
        param: 'tools',
        code: 'empty_array',
      },
    });
  });

  test('gets the error of Anthropic', async () => {
    const upstream = await start({ script: [hi] });
    const response = await askMessages(upstream, { max_tokens: undefined });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
      request_id: 'req_000000000000',
    });
  });

  test('is recorded, and uses up nothing of the script', async () => {
    const upstream = await start({ script: [hi] });
    await askChat(upstream, { tools: [] });
    expect((await askChat(upstream)).status).toBe(200);
    expect(upstream.requests.map(({ rejection }) => rejection?.code)).toEqual(['empty_array', undefined]);
    expect(upstream.rejected()).toEqual([upstream.requests[0]]);
  });

  test('is answered all the same by a lenient upstream, which records it', async () => {
    const upstream = await start({ script: [hi], isLenient: true });
    expect((await askChat(upstream, { tools: [] })).status).toBe(200);
    expect(upstream.rejected()).toHaveLength(1);
  });

  test('is told of without being kept, as any other', async () => {
    const told: boolean[] = [];
    const keeps = ({ rejection }: { rejection: unknown }) => told.push(rejection !== undefined) > 1;
    const upstream = await start({ script: [hi, hi], keeps });
    await askChat(upstream, { tools: [] });
    await askChat(upstream);
    expect(told).toEqual([true, false]);
    expect(upstream.rejected()).toEqual([]);
    expect(upstream.requests.map(({ number }) => number)).toEqual([1]);
  });

  test('can be of the choice of the test', async () => {
    const upstream = await start({
      script: [hi, hi],
      rejects: ({ text }) =>
        text.includes('gateway') ? badRequest('No gateways.', { param: 'tools' }) : undefined,
    });
    const response = await askChat(upstream, { user: 'gateway' });
    expect(await response.json()).toMatchObject({ error: { message: 'No gateways.', param: 'tools' } });
    expect((await askChat(upstream)).status).toBe(200);
  });

  test('obeys the rules of the test', async () => {
    const upstream = await start({ script: [hi], rules: { toolTypes: ['web_search'] } });
    expect((await askChat(upstream, { tools: [{ type: 'web_search' }] })).status).toBe(200);
  });
});

describe('a scripted error', () => {
  test.each([
    [401, 'authentication_error', 'invalid_request_error', 'invalid_api_key'],
    [429, 'rate_limit_error', 'requests', 'rate_limit_exceeded'],
    [500, 'api_error', 'server_error', null],
    [529, 'overloaded_error', 'server_error', null],
  ])('with %i is written as each provider writes it', async (status, anthropic, openai, code) => {
    const error = { kind: 'error', status, message: 'Sorry', headers: { 'retry-after': '7' } } as const;
    const upstream = await start({ script: [error, error] });
    const chat = await askChat(upstream, { stream: true });
    expect([chat.status, chat.headers.get('retry-after')]).toEqual([status, '7']);
    expect(await chat.json()).toEqual({ error: { message: 'Sorry', type: openai, param: null, code } });
    const messages = await askMessages(upstream);
    expect(messages.status).toBe(status);
    expect(await messages.json()).toMatchObject({ error: { type: anthropic, message: 'Sorry' } });
  });

  test('may have a type of its own', async () => {
    const upstream = await start({ script: [{ kind: 'error', status: 400, errorType: 'billing_error' }] });
    expect(await (await askMessages(upstream)).json()).toMatchObject({ error: { type: 'billing_error' } });
  });
});

describe('a script', () => {
  test('is used up answer by answer, then the model is asked', async () => {
    const upstream = await start({
      script: [answer([say('one')]), answer([say('two')])],
      model: () => answer([say('model')]),
    });
    const texts: string[] = [];
    for (let count = 0; count < 4; count += 1) texts.push(await (await askChat(upstream)).text());
    expect(texts.map((text) => /"content":"(\w+)"/.exec(text)?.[1])).toEqual([
      'one',
      'two',
      'model',
      'model',
    ]);
  });

  test('says when it has no answer left', async () => {
    const response = await askChat(await start());
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: { message: 'The script has no answer left; 0 were used.' },
    });
  });

  test('may answer by what was asked', async () => {
    const upstream = await start({ script: [({ json }) => answer([say(JSON.stringify(json))])] });
    expect(await (await askChat(upstream, { user: 'ada' })).text()).toContain('ada');
  });

  test('that fails says so', async () => {
    const upstream = await start({
      model: () => {
        throw new Error('no idea');
      },
    });
    const response = await askChat(upstream);
    expect([response.status, await response.text()]).toEqual([
      500,
      'The scripted upstream failed: Error: no idea',
    ]);
  });

  test('may send bytes as they are', async () => {
    const bytes = {
      kind: 'bytes',
      status: 202,
      headers: { 'content-type': 'text/odd' },
      body: [Uint8Array.of(0xff, 0x00), 'ü'],
    } as const;
    const response = await askChat(await start({ script: [bytes] }));
    expect([response.status, response.headers.get('content-type')]).toEqual([202, 'text/odd']);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.of(0xff, 0x00, 0xc3, 0xbc));
  });

  test('may hang up without an answer', async () => {
    const upstream = await start({ script: [{ kind: 'hang-up' }] });
    await expect(askChat(upstream)).rejects.toThrow('fetch failed');
    expect(await upstream.requests[0]?.answer.ended).toBe('broken-off');
  });

  test('hangs up when its gate opens', async () => {
    const headersAfter = createGate();
    const upstream = await start({ script: [{ kind: 'hang-up', delivery: { headersAfter } }] });
    const asking = askChat(upstream);
    await headersAfter.reached;
    headersAfter.open();
    await expect(asking).rejects.toThrow('fetch failed');
  });

  test('travels the way of the upstream unless it has its own', async () => {
    const upstream = await start({
      script: [hi, answer([say('Hi')], { delivery: {} })],
      delivery: { lineEnd: '\r\n' },
    });
    expect(await (await askChat(upstream, { stream: true })).text()).toContain('\r\n');
    expect(await (await askChat(upstream, { stream: true })).text()).not.toContain('\r\n');
  });
});

describe('what was received', () => {
  test('is recorded to the byte', async () => {
    const upstream = await start({ script: [hi] });
    const body = ` {"n":1.0,"n":12345678901234567890, ${JSON.stringify(CHAT).slice(1)}`;
    await fetch(`${upstream.url}/v1/chat/completions?a=b%20c`, {
      method: 'POST',
      headers: { ...HEADERS, 'X-Odd': 'Ü'.normalize('NFD').slice(0, 1) },
      body,
    });
    expect(upstream.requests).toMatchObject([
      {
        number: 0,
        method: 'POST',
        path: '/v1/chat/completions?a=b%20c',
        headers: { 'x-odd': 'U' },
        bytes: Buffer.from(body),
        text: body,
        json: CHAT,
        route: 'openai-chat',
      },
    ]);
    expect(upstream.requests[0]?.rawHeaders).toContain('X-Odd');
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('is decompressed to be read (%s)', async (encoding, compress) => {
    const upstream = await start({ script: [hi] });
    const bytes = compress(JSON.stringify(CHAT));
    const headers = { ...HEADERS, 'content-encoding': encoding };
    const response = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: bytes,
    });
    expect(response.status).toBe(200);
    expect(upstream.requests).toMatchObject([{ bytes, json: CHAT }]);
  });

  test('can be waited for', async () => {
    const upstream = await start({ script: [hi, hi] });
    const waiting = upstream.received(1);
    await askChat(upstream);
    await askChat(upstream, { user: 'second' });
    expect(await waiting).toBe(upstream.requests[1]);
    expect((await upstream.received(0)).json).not.toHaveProperty('user');
  });

  test('knows the usage that was reported', async () => {
    const usage = { inputTokens: 7, outputTokens: 9 };
    const upstream = await start({ script: [answer([say('Hi')], { usage }), hi] });
    await askChat(upstream);
    await askChat(upstream);
    expect(upstream.requests[0]?.answer.usage).toEqual(usage);
    expect(upstream.requests[1]?.answer.usage).toEqual({ inputTokens: 17, outputTokens: 13 });
  });
});

describe('a path', () => {
  test.each([
    '/v1/chat/completions',
    '/openai/deployments/d/chat/completions?api-version=2024-10-21',
    '/base/openai/v1/chat/completions',
  ])('%s asks Chat', async (path) => {
    const upstream = await start({ script: [hi] });
    const response = await fetch(upstream.url + path, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(CHAT),
    });
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
  });

  test('with a query string asks for a message', async () => {
    const upstream = await start({ script: [hi] });
    const body = JSON.stringify({ ...CHAT, max_tokens: 1 });
    const response = await fetch(`${upstream.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: HEADERS,
      body,
    });
    expect(await response.json()).toMatchObject({ type: 'message' });
  });

  test.each([
    ['GET', '/v1/models?limit=2', undefined],
    ['POST', '/v1/files', 'not json'],
    ['DELETE', '/v1/messages/batches/7', undefined],
    ['GET', '/v1/messages', undefined],
  ])('of another kind is echoed (%s %s)', async (method, path, body) => {
    const upstream = await start();
    const response = await fetch(upstream.url + path, {
      method,
      headers: { 'x-mine': '1' },
      ...(body !== undefined && { body }),
    });
    expect(await response.json()).toMatchObject({
      method,
      path,
      headers: { 'x-mine': '1' },
      body: body ?? '',
    });
    expect(upstream.rejected()).toEqual([]);
  });
});

describe('a count of tokens', () => {
  async function count(body: object): Promise<{ status: number; body: unknown }> {
    const upstream = await start();
    const response = await fetch(`${upstream.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ ...CHAT, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }
  const tool = { name: 'get_weather', description: 'x'.repeat(400), input_schema: { type: 'object' } };

  test('counts what is in the prompt, deferred tools not among it', async () => {
    const other = { ...tool, name: 'other' };
    const one = await count({ tools: [tool] });
    const deferred = await count({ tools: [tool, { ...other, defer_loading: true }] });
    const both = await count({ tools: [tool, other] });
    expect(one).toEqual({ status: 200, body: { input_tokens: 133 } });
    expect(deferred).toEqual(one);
    expect(both.body).toEqual({ input_tokens: 250 });
  });

  test('is rejected like a message', async () => {
    expect(await count({ tools: [] })).toMatchObject({ status: 400, body: { type: 'error' } });
  });

  test('on Vertex is asked of a model of its own, and names the real one', async () => {
    const upstream = await start();
    const ask = async (body: object, headers: Record<string, string> = { authorization: 'Bearer key' }) => {
      const path = '/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict';
      const response = await fetch(`${upstream.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask(CHAT)).toEqual({ status: 200, body: { input_tokens: expect.any(Number) } });
    const versioned = { ...CHAT, anthropic_version: 'vertex-2023-10-16' };
    expect(await ask(versioned)).toEqual(await ask(CHAT));
    expect((await ask({ messages: CHAT.messages })).status).toBe(400);
    expect((await ask({ ...CHAT, anthropic_version: '1' })).status).toBe(400);
    expect((await ask({ ...CHAT, tools: [] })).status).toBe(400);
    expect((await ask(CHAT, {})).status).toBe(401);
    const beta = { authorization: 'Bearer key', 'anthropic-beta': 'advanced-tool-use-2025-11-20' };
    expect((await ask(CHAT, beta)).status).toBe(400);
  });
});

test('a closed upstream has let go of its port and its connections', async () => {
  const gate = createGate();
  const upstream = await startUpstream({
    script: [answer([say('one')], { delivery: { headersAfter: gate } })],
  });
  const asking = askChat(upstream);
  await gate.reached;
  await Promise.all([upstream.close(), expect(asking).rejects.toThrow('fetch failed')]);
  await expect(askChat(upstream)).rejects.toThrow('fetch failed');
});
