import {
  answer,
  callTool,
  type ReceivedRequest,
  type ScriptEntry,
  say,
  startUpstream,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const MODEL = 'gemini-3-pro-preview';
const [FIRST, , , , , , , , , WANTED] = FEW_TOOLS.map(({ name }) => name) as [string, ...string[]] & string[];
const TOOL_SEARCH = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' };

const functionDeclarations = FEW_TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  parametersJsonSchema: parameters,
}));
const BODY = { contents: [{ role: 'user', parts: [{ text: 'Do it.' }] }], tools: [{ functionDeclarations }] };

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

function send(
  url: string,
  { path = `/v1beta/models/${MODEL}`, method = 'generateContent', headers, body }: Sent = {},
) {
  return fetch(`${url}${path}:${method}`, {
    method: 'POST',
    headers: headers ?? { 'x-goog-api-key': 'key' },
    body: JSON.stringify({ ...BODY, ...body }),
  });
}

const searchFor = (query: string) => callTool(SEARCH_TOOL, { query });
const findsIt: ScriptEntry[] = [answer([searchFor(WANTED!)]), answer([callTool(WANTED!)])];
const namesIn = ({ json }: ReceivedRequest): string[] =>
  (json as typeof BODY).tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name));

describe.each([
  ['whole', 'generateContent', 'application/json'],
  ['server-sent events', 'streamGenerateContent?alt=sse', 'text/event-stream'],
  ['a JSON array', 'streamGenerateContent', 'application/json; charset=UTF-8'],
])('%s', (_, method, contentType) => {
  test('comes back in the form that was asked for, without a trace of the search', async () => {
    const stack = await startStack({ script: findsIt });
    const response = await send(stack.proxyUrl, { method });
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(text).toContain(WANTED);
    expect(text).not.toContain(SEARCH_TOOL);
    if (contentType.startsWith('application/json')) expect(() => JSON.parse(text)).not.toThrow();
    expect(stack.upstream.rejected()).toEqual([]);
    expect(stack.upstream.requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 2 }, () => `/v1beta/models/${MODEL}:${method}`),
    );
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      {
        format: 'gemini',
        upstream: 'gemini',
        model: MODEL,
        planReason: 'deferred',
        upstreamCalls: 2,
        outcome: 'answered',
        searches: [{ outcome: 'found' }],
        tools: { total: 12 },
        usage: [{ outputTokens: 13 }, { outputTokens: 13 }],
      },
    ]);
    const metrics = await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text();
    expect(metrics).toMatch(/winnow_proxy_exchanges_total\{[^}]*format="gemini"[^}]*\} 1/);
  });

  test('has arguments that come in pieces where the client asks for that', async () => {
    const stack = await startStack({
      script: [
        answer([searchFor(WANTED!)]),
        answer([callTool(WANTED!, { city: 'Zürich' }), searchFor(FIRST)]),
      ],
    });
    const toolConfig = { functionCallingConfig: { streamFunctionCallArguments: true } };
    const text = await (await send(stack.proxyUrl, { method, body: { toolConfig } })).text();
    expect(text).not.toContain(SEARCH_TOOL);
    expect(text).toContain('Zürich');
    expect(stack.upstream.rejected()).toEqual([]);
  });

  test('is asked for again with all tools when the model calls what it was not shown', async () => {
    const stack = await startStack({
      settings: TOOL_SEARCH,
      script: [answer([], { stop: 'UNEXPECTED_TOOL_CALL' }), answer([callTool(WANTED!)])],
    });
    const text = await (await send(stack.proxyUrl, { method })).text();
    expect(text).toContain(WANTED);
    expect(text).not.toContain('UNEXPECTED_TOOL_CALL');
    expect(stack.upstream.requests.map((request) => namesIn(request).length)).toEqual([2, 12]);
  });
});

describe('addresses and credentials', () => {
  test('Vertex is an upstream of its own, whose paths and bearer tokens stay', async () => {
    const stack = await startStack({ script: findsIt });
    const path = '/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-preview';
    const response = await send(`${stack.proxyUrl}/gemini`, {
      path,
      headers: { authorization: 'Bearer ya29.x' },
    });
    expect(await response.text()).toContain(WANTED);
    expect(stack.upstream.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual(
      Array.from({ length: 2 }, () => [`${path}:generateContent`, 'Bearer ya29.x']),
    );
    await recordsOf(stack, 1);
    expect(stack.records[0]).toMatchObject({ model: MODEL, planReason: 'deferred' });
  });

  test('a key in the query continues to the provider, and nowhere else', async () => {
    const stack = await startStack({ script: [answer([say('Hi.')])] });
    const response = await send(stack.proxyUrl, {
      path: `/v1/models/${MODEL}`,
      method: 'generateContent?key=secret-key-1',
      headers: {},
    });
    expect(response.status).toBe(200);
    expect(stack.upstream.requests[0]!.path).toContain('key=secret-key-1');
    await recordsOf(stack, 1);
    expect(stack.records[0]).toMatchObject({ upstream: 'gemini', planReason: 'deferred' });
    expect(JSON.stringify([stack.records, stack.events])).not.toContain('secret-key-1');
  });

  test.each([
    ['as it is', BODY],
    [
      'as a request within',
      {
        contents: undefined,
        tools: undefined,
        generateContentRequest: { model: `models/${MODEL}`, ...BODY },
      },
    ],
  ])('counts the tokens of what would be sent: %s', async (_, body) => {
    const stack = await startStack({ settings: TOOL_SEARCH });
    const count = await (await send(stack.proxyUrl, { method: 'countTokens', body })).json();
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    const direct = await (await send(upstream.url, { method: 'countTokens', body })).json();
    expect((count as { totalTokens: number }).totalTokens).toBeLessThan(
      (direct as { totalTokens: number }).totalTokens / 2,
    );
    expect(stack.upstream.rejected()).toEqual([]);
  });
});

test('a later round that fails ends an array with the error as its last element', async () => {
  const stack = await startStack({
    script: [answer([say('Let me see. '), searchFor(WANTED!)]), { kind: 'error', status: 503 }],
    settings: { ...TOOL_SEARCH, PROXY_UPSTREAMS_GEMINI_RETRY_ATTEMPTS: '0' },
  });
  const body = (await (await send(stack.proxyUrl, { method: 'streamGenerateContent' })).json()) as object[];
  expect(body.at(-1)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
  expect(JSON.stringify(body[0])).toContain('Let me see. ');
});

describe('the arms of a rollout', () => {
  const CALLS = answer([say('So be it. '), callTool(FIRST), callTool(WANTED!)]);

  test.each([
    ['whole', 'generateContent'],
    ['server-sent events', 'streamGenerateContent?alt=sse'],
    ['a JSON array', 'streamGenerateContent'],
  ])('shadow finds out what would have been missed: %s', async (_, method) => {
    const stack = await startStack({
      script: [CALLS],
      isLenient: true,
      settings: { PROXY_ROLLOUT_MODE: 'shadow' },
    });
    await (await send(stack.proxyUrl, { method })).text();
    await recordsOf(stack, 1);
    expect(stack.upstream.requests[0]!.text).not.toContain(SEARCH_TOOL);
    expect(stack.records[0]).toMatchObject({
      arm: 'shadow',
      planReason: 'deferred',
      observation: { status: 'done', called: [FIRST, WANTED], wouldHaveMissed: expect.any(Array) },
    });
  });
});
