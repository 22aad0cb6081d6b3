import { request } from 'node:http';
import type { ExchangeRow } from '@winnow/service';
import { answer, callTool, say } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LiveDetails } from '../../apps/proxy/src/page/live-feed.ts';
import { FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[10]!.name;
const SEARCHES = [answer([callTool('gateway_search_tools', { query: WANTED })]), answer([callTool(WANTED)])];
const HTML = { accept: 'text/html,application/xhtml+xml' };

const start = (settings: Record<string, string> = {}) =>
  startStack({
    script: [...SEARCHES, answer([say('Hi.')])],
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...settings },
  });

/** Subscribes to the feed until the returned function is called; `text` grows. */
async function watch(stack: Stack, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${stack.proxyUrl}/_winnow/live`, { headers, signal: leaving.signal });
  const told = { status: response.status, text: '', isOver: false };
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) told.text += chunk;
  };
  const reading = read()
    .catch(() => {})
    .then(() => {
      told.isOver = true;
    });
  onTestFinished(() => leaving.abort());
  return { told, reading, leave: () => leaving.abort() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const eventsOf = (text: string) =>
  [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name, data]) => ({
    name,
    data: JSON.parse(data!),
  }));

/** Returns the status of a request with headers that fetch would not send. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.destroy();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the page', () => {
  test('is where only browsers at the root are redirected', async () => {
    const stack = await start();
    const visit = await fetch(`${stack.proxyUrl}/`, { headers: HTML, redirect: 'manual' });
    expect([visit.status, visit.headers.get('location')]).toEqual([302, '/_winnow/']);
    expect((await fetch(`${stack.proxyUrl}/`, { headers: HTML, method: 'POST' })).status).toBe(404);
    expect(stack.upstream.requests).toEqual([]);
  });

  test('tells a client without HTML the totals and the states as text', async () => {
    const stack = await start();
    await (await send({ format: 'anthropic', url: stack.proxyUrl })).text();
    await recordsOf(stack, 1);
    for (const path of ['/', '/_winnow/']) {
      const response = await fetch(stack.proxyUrl + path);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const text = await response.text();
      expect(text).toMatch(/^winnow proxy [\d.]+, strategy tool-search, rollout full$/m);
      expect(text).toMatch(/^exchanges +1, 1 with deferred tools, 0 failed$/m);
      expect(text).toMatch(/^tool tokens +\d+ sent by clients, \d+ forwarded, \d+ % saved/m);
      expect(text).toMatch(/^upstream anthropic +working \(200 at .*Z\)$/m);
    }
    expect(await statusOf(`${stack.proxyUrl}/`, { host: 'rebound.example' })).toBe(403);
  });

  test('lets nothing run or be asked but its own, and is not kept', async () => {
    const stack = await start();
    const { headers } = await fetch(`${stack.proxyUrl}/_winnow/`, { headers: HTML });
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('can be switched off', async () => {
    const stack = await start({ PROXY_PAGE_ENABLED: 'false' });
    expect((await fetch(`${stack.proxyUrl}/`, { headers: HTML, redirect: 'manual' })).status).toBe(404);
    for (const path of ['', 'live', 'exchanges', 'exchanges/1']) {
      expect((await fetch(`${stack.proxyUrl}/_winnow/${path}`)).status).toBe(404);
    }
    expect((await fetch(`${stack.proxyUrl}/_winnow/healthz`)).status).toBe(200);
  });

  test('is for this machine under its own names, where there are no tokens', async () => {
    const stack = await start();
    const paths = ['/_winnow/', '/_winnow/live', '/_winnow/exchanges', '/_winnow/exchanges/1'];
    // Metrics name models and servers.
    for (const path of [...paths, '/_winnow/metrics']) {
      const url = stack.proxyUrl + path;
      expect(await statusOf(url, { host: 'rebound.example' })).toBe(403);
      expect(await statusOf(url, { 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await statusOf(url, { origin: 'https://evil.example' })).toBe(403);
    }
  });

  test('tells nothing without a token, where there are tokens', async () => {
    const stack = await start({ PROXY_SERVER_TOKENS: 'one-token' });
    const metrics = `${stack.proxyUrl}/_winnow/metrics`;
    expect([await statusOf(metrics, {}), await statusOf(metrics, { host: 'rebound.example' })]).toEqual([
      200, 403,
    ]);
    expect((await fetch(`${stack.proxyUrl}/_winnow/`, { headers: HTML })).status).toBe(200);
    for (const path of ['', 'live', 'exchanges', 'exchanges/1']) {
      const url = `${stack.proxyUrl}/_winnow/${path}`;
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(url, { headers: { 'x-winnow-token': 'two-token' } })).status).toBe(401);
    }
    const { told } = await watch(stack, { 'x-winnow-token': 'one-token' });
    expect(told.status).toBe(200);
  });
});

describe('what is told', () => {
  const secret = 'the launch code is 4711';
  const converse = async (stack: Stack) => {
    const headers = { 'x-api-key': 'sk-ant-private' };
    await (await send({ format: 'anthropic', url: stack.proxyUrl, user: secret, headers })).text();
    await recordsOf(stack, 1);
  };

  test('is each exchange as it happens, and of it no word of a message or search, nor a key', async () => {
    const stack = await start();
    const { told } = await watch(stack);
    await converse(stack);
    await until(() => told.text.includes('event: exchange'));
    const [hello, exchange] = eventsOf(told.text);
    expect(hello).toMatchObject({ name: 'hello', data: { withContent: false } });
    expect(exchange).toMatchObject({
      name: 'exchange',
      data: { n: 0, model: 'claude-opus-4-5', rounds: 2, searches: 1, outcome: 'answered' },
    });
    const details = `${stack.proxyUrl}/_winnow/exchanges/${exchange!.data.id}`;
    const tools = await (await fetch(details)).text();
    const places = await (await fetch(`${details}?tool=${WANTED}`)).text();
    expect(JSON.parse(tools)).toMatchObject({ canExplain: true });
    expect(JSON.parse(places).places).toEqual([
      {
        queryChars: WANTED.length,
        rank: 1,
        score: 1,
        tools: expect.any(Number),
        matchedCount: 1,
        missingCount: 0,
      },
    ]);
    for (const text of [told.text, places, tools]) {
      expect(text).not.toMatch(/launch|4711|sk-ant-private|queryText|"matched"/);
    }
  });

  test('has the words of searches where they are switched on', async () => {
    const stack = await start({ PROXY_RECORDS_QUERY_TEXT: 'true' });
    const { told } = await watch(stack);
    await converse(stack);
    await until(() => told.text.includes('event: exchange'));
    const [, exchange] = eventsOf(told.text);
    const details = `${stack.proxyUrl}/_winnow/exchanges/${exchange!.data.id}`;
    const { record } = (await (await fetch(details)).json()) as LiveDetails;
    expect(record.searches).toMatchObject([{ queryText: WANTED }]);
    expect(await (await fetch(`${details}?tool=${WANTED}`)).json()).toMatchObject({
      places: [{ query: WANTED, matched: [WANTED] }],
    });
  });

  test('has what happened before, and the names of its tools', async () => {
    const stack = await start();
    await converse(stack);
    const { told } = await watch(stack);
    await until(() => told.text.includes('event: hello'));
    const [hello] = eventsOf(told.text);
    expect(hello!.data.state).toMatchObject({
      sessionStore: 'memory',
      isSessionStoreUp: true,
      totals: { exchanges: 1, deferring: 1, searches: 1, failed: 0, currency: 'USD' },
      upstreams: [{ name: 'anthropic', isWorking: true, status: 200 }],
    });
    const lines = (await (await fetch(`${stack.proxyUrl}/_winnow/exchanges`)).text()).split('\n');
    const rows = lines.filter(Boolean).map((line) => JSON.parse(line) as ExchangeRow);
    expect(rows).toMatchObject([{ n: 0, rounds: 2 }]);
    const details = await fetch(`${stack.proxyUrl}/_winnow/exchanges/${rows[0]!.id}`);
    expect(await details.json()).toMatchObject({
      record: { upstreamCalls: 2 },
      canExplain: false,
      tools: expect.arrayContaining([{ name: WANTED, fate: 'loaded', why: 'found' }]),
    });
  });

  test('ends when the proxy stops, which does not wait for viewers', async () => {
    const stack = await start({ PROXY_SERVER_DRAIN_TIMEOUT: '60s' });
    const { told, reading } = await watch(stack);
    await until(() => told.text.includes('event: hello'));
    await stack.proxies[0]!.close();
    await reading;
    expect(told.isOver).toBe(true);
  });

  test('is told to sixteen people at most', async () => {
    const stack = await start();
    const watching = await Promise.all(Array.from({ length: 16 }, () => watch(stack)));
    expect((await fetch(`${stack.proxyUrl}/_winnow/live`)).status).toBe(503);
    watching[0]!.leave();
    let status = 503;
    while (status === 503) ({ status } = (await watch(stack)).told);
    expect(status).toBe(200);
  });
});
