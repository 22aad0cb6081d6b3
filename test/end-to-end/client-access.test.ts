import { playModel } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { startStack } from './start-stack.ts';

const MODELS = '/v1/models';

describe('clients with tokens of their own', () => {
  test('are let in with one, which no upstream sees, and refused in the shape of their provider without', async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: {
        PROXY_SERVER_TOKENS: 'one-token,other-token',
        PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-operator',
      },
    });
    const refused = await fetch(stack.proxyUrl + MODELS, { headers: { authorization: 'Bearer sk-guess' } });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 'unauthorized' } });
    const anthropic = await fetch(stack.proxyUrl + MODELS, {
      headers: { 'anthropic-version': '2023-06-01' },
    });
    expect(await anthropic.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    expect(stack.upstream.requests).toEqual([]);

    await fetch(`${stack.proxyUrl}/openai${MODELS}`, {
      headers: { authorization: 'Bearer one-token', 'x-goog-api-key': 'sk-else', 'api-key': 'other-token' },
    });
    // Without an operator's key, the client's own key is passed on, and the token is not.
    await fetch(stack.proxyUrl + MODELS, {
      headers: {
        'anthropic-version': '2023-06-01',
        'x-api-key': 'sk-ant-own',
        authorization: 'Bearer one-token',
      },
    });
    const [spent, own] = stack.upstream.requests.map(({ headers }) => headers);
    expect(spent).toMatchObject({ authorization: 'Bearer sk-operator' });
    expect(own).toMatchObject({ 'x-api-key': 'sk-ant-own' });
    expect(JSON.stringify([spent, own])).not.toMatch(/one-token|other-token|sk-else/);
  });
});

describe('a credential in the query', () => {
  const url = (query: string) => `/v1beta/models${query}`;

  test('lets a client in, and goes no further where it is a token', async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: { PROXY_SERVER_TOKENS: 'one-token' },
    });
    const statusOf = async (query: string, headers = {}) =>
      (await fetch(stack.proxyUrl + url(query), { headers })).status;
    expect(await statusOf('?key=guess')).toBe(401);
    await statusOf('?key=one-token&pageSize=2');
    await statusOf('?key=their-own', { 'x-winnow-token': 'one-token' });
    expect(stack.upstream.requests.map(({ path }) => path)).toEqual([
      url('?pageSize=2'),
      url('?key=their-own'),
    ]);
  });

  test("is replaced by the operator's key", async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: {
        PROXY_UPSTREAMS_GEMINI_API_KEY: 'operators',
        PROXY_UPSTREAMS_GEMINI_AUTH: 'query:key',
      },
    });
    await fetch(`${stack.proxyUrl}${url('?alt=sse&key=theirs')}`, {
      headers: { 'x-goog-api-key': 'theirs' },
    });
    const [request] = stack.upstream.requests;
    expect(request!.path).toBe(url('?alt=sse&key=operators'));
    expect(JSON.stringify(request!.headers)).not.toContain('theirs');
  });
});

describe("a key of the operator's", () => {
  test('is not spent for a page of another site, nor under a name that is not allowed', async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: {
        PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-operator',
        PROXY_SERVER_ALLOWED_ORIGINS: 'https://chat.example',
      },
    });
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(stack.proxyUrl + MODELS, { headers })).status;
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
    expect(stack.upstream.requests).toEqual([]);
    expect(await statusOf({ origin: 'https://chat.example' })).toBe(200);
    expect(await statusOf({})).toBe(200);
    expect(stack.upstream.requests).toHaveLength(2);
  });
});

describe('a method that no provider uses', () => {
  test('is not forwarded', async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: { PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-operator' },
    });
    const { request } = await import('node:http');
    const statusOf = (method: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(stack.proxyUrl + MODELS, { method }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
    expect(await statusOf('TRACE')).toBe(405);
    expect(await statusOf('PROPFIND')).toBe(405);
    expect(stack.upstream.requests).toEqual([]);
    expect(await statusOf('HEAD')).toBe(200);
  });
});

describe('a path', () => {
  test('that leads out of the base path of its upstream is refused', async () => {
    const stack = await startStack({ model: playModel({ turns: [] }) });
    const { hostname, port } = new URL(stack.proxyUrl);
    const { request } = await import('node:http');
    const statusOf = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ hostname, port, path }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
    // Sent literally: `fetch` would resolve the dots itself.
    expect(await statusOf('/openai/../../team-b/secret')).toBe(400);
    expect(await statusOf('/openai/v1/%2e%2e/%2e%2e/secret')).toBe(400);
    expect(await statusOf('/v1/../../secret')).toBe(400);
    expect(stack.upstream.requests).toEqual([]);
    expect(await statusOf('/openai/v1/../v1/models')).toBe(200);
    expect(stack.upstream.requests.map(({ path }) => path)).toEqual(['/v1/../v1/models']);
  });

  test('that no vendor has is answered with 404 and the names of the upstreams', async () => {
    const stack = await startStack({ model: playModel({ turns: [] }) });
    const response = await fetch(`${stack.proxyUrl}/anything/at/all`, { method: 'PUT', body: 'x' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: 'no_upstream', message: expect.stringMatching(/\/openai\/.*\/anthropic\//) },
    });
    expect(stack.upstream.requests).toEqual([]);
  });
});
