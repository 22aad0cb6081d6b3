import { answer, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { answersWith, REFUSED, selects, startFakeSelector } from './fake-selector.ts';
import { send } from './raw-client.ts';
import { startStack } from './start-stack.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a selector that fails is said at the start, before any model searches:', () => {
  test.each([
    [
      'the wrong token',
      async () => await startFakeSelector(answersWith(401, '{}'), { hearsProbes: true }),
      { reason: 'api_error', cause: '401', setting: 'tools.api.api_key' },
    ],
    [
      'the wrong path',
      async () => await startFakeSelector(answersWith(404, '{}'), { hearsProbes: true }),
      { reason: 'api_error', cause: '404', setting: 'tools.api.endpoint' },
    ],
    [
      'the wrong address',
      async () => REFUSED,
      { reason: 'api_error', cause: 'ECONNREFUSED', setting: 'tools.api.endpoint' },
    ],
  ])('%s', async (_, start, expected) => {
    let time = 0;
    // Each reading of the clock is later than the proxy's patience.
    const stack = await startStack({
      script: [],
      selectorUrl: await start(),
      effects: { now: () => (time += 11_000) },
    });
    while (stack.events.length === 0) await tick();
    expect(stack.events).toEqual([{ time: expect.any(String), event: 'selector_failing', ...expected }]);
  });

  test('nothing of one that works, and no search of it is counted', async () => {
    const stack = await startStack({ script: [answer([say('Done.')])] });
    const metrics = await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text();
    expect(metrics).not.toContain('winnow_proxy_searches_total{');
    expect(stack.events).toEqual([]);
  });

  test('nothing of one that has never heard of the tool that it is asked for', async () => {
    const selectorUrl = await startFakeSelector(selects(), { hearsProbes: true });
    const stack = await startStack({ script: [answer([say('Done.')])], selectorUrl });
    await (await send({ format: 'openai', url: stack.proxyUrl })).text();
    expect(stack.events).toEqual([]);
  });

  test('nothing where the strategy asks none', async () => {
    const stack = await startStack({
      script: [],
      selectorUrl: REFUSED,
      settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
    });
    await fetch(`${stack.proxyUrl}/_winnow/metrics`);
    expect(stack.events).toEqual([]);
  });
});

describe('a request with tools on a path that no format handles', () => {
  const body = JSON.stringify({ model: 'm', tools: CATALOGUE });
  const post = (url: string, text: string, headers = {}) =>
    fetch(`${url}/openai/v9/agents/ag_0123/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    });

  test('passes to the byte, is counted, and said once', async () => {
    const stack = await startStack({ script: [], isLenient: true });
    for (let time = 0; time < 3; time++) await (await post(stack.proxyUrl, body)).text();
    expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body, body, body]);
    expect(stack.events).toEqual([
      {
        time: expect.any(String),
        event: 'tools_unread',
        upstream: 'openai',
        path: '/v9/agents/…/turns',
      },
    ]);
    const metrics = await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text();
    expect(metrics).toContain('winnow_proxy_unread_tool_requests_total{upstream="openai"} 3');
  });

  test.each([
    ['without tools', '{"model":"m","tools":[]}', {}],
    ['that is no JSON', body, { 'content-type': 'text/plain' }],
    ['that is compressed', body, { 'content-encoding': 'x-none' }],
  ])('%s is none of anybody’s business', async (_, text, headers) => {
    const stack = await startStack({ script: [], isLenient: true });
    await (await post(stack.proxyUrl, text, headers)).text();
    expect(stack.upstream.requests).toHaveLength(1);
    expect(stack.events).toEqual([]);
  });
});
