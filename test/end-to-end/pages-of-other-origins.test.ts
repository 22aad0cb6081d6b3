/**
 * @module-tag chromium
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { answer, say } from '@winnow/testkit';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { type Stack, startStack } from './start-stack.ts';

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await launch({ executablePath: findProgram('chromium'), headless: true, args });
});
afterAll(() => browser?.close());

const ROOT = join(import.meta.dirname, '../..');

/** Packages that the libraries import and do not need in a browser. */
const STUB =
  'data:text/javascript,const none = {}; export { none as trace, none as context, none as SpanStatusCode, none as SpanKind, none as propagation, none as Webhook, none as default }';

const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({
  imports: {
    openai: '/node_modules/openai/index.mjs',
    '@anthropic-ai/sdk': '/node_modules/@anthropic-ai/sdk/index.mjs',
    '@opentelemetry/api': STUB,
    standardwebhooks: STUB,
  },
})}</script>`;

/** Serves a page with the clients' libraries, from an origin of its own; returns the origin. */
async function startSite(): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const path = normalize(incoming.url ?? '/');
    if (!path.startsWith('/node_modules/')) {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      return;
    }
    const text = await readFile(join(ROOT, path)).catch(() => undefined);
    outgoing.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/javascript' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(site: string): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(site);
  return page;
}

const start = (settings: Record<string, string>) =>
  startStack({ model: () => answer([say('Good morning to you.')]), settings });

const KEYS = {
  PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-operator',
  PROXY_UPSTREAMS_ANTHROPIC_API_KEY: 'sk-ant-operator',
};

/** Runs in the page: what the OpenAI library gets, whole and streamed. */
const askOpenAi = `async (url, apiKey) => {
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({ baseURL: url + '/v1', apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const request = { model: 'gpt-test', messages: [{ role: 'user', content: 'Hi' }] };
  const { data, response } = await client.chat.completions.create(request).withResponse();
  let streamed = '';
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
    streamed += chunk.choices[0]?.delta?.content ?? '';
  return { whole: data.choices[0].message.content, streamed, id: response.headers.get('x-request-id') };
}`;

/** Runs in the page: what the Anthropic library gets, whole and streamed. */
const askAnthropic = `async (url, apiKey) => {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({ baseURL: url, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const request = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
  const { data, request_id } = await client.messages.create(request).withResponse();
  let streamed = '';
  for await (const event of await client.messages.create({ ...request, stream: true }))
    if (event.type === 'content_block_delta') streamed += event.delta.text;
  return { whole: data.content[0].text, streamed, id: request_id };
}`;

const run = (page: Page, script: string, { proxyUrl }: Stack, key: string) =>
  page.evaluate(`(${script})(${JSON.stringify(proxyUrl)}, ${JSON.stringify(key)})`);

const GOT = {
  whole: 'Good morning to you.',
  streamed: 'Good morning to you.',
  id: expect.stringMatching(/./),
};

describe('a page whose origin is listed', () => {
  test.each([
    ["the operator's key", KEYS, 'nothing'],
    ['a token', { ...KEYS, PROXY_SERVER_TOKENS: 'one-token' }, 'one-token'],
    ['its own key', {}, 'sk-own'],
  ])(
    'uses both libraries with %s, whole and streamed, and reads the request id',
    async (_, settings, key) => {
      const site = await startSite();
      const stack = await start({ ...settings, PROXY_SERVER_ALLOWED_ORIGINS: site });
      const page = await open(site);
      expect(await run(page, askOpenAi, stack, key)).toMatchObject(GOT);
      expect(await run(page, askAnthropic, stack, key)).toMatchObject(GOT);
    },
  );
});

test('a page whose origin is listed reads why it is refused', async () => {
  const site = await startSite();
  const stack = await start({ PROXY_SERVER_TOKENS: 'one-token', PROXY_SERVER_ALLOWED_ORIGINS: site });
  await expect(run(await open(site), askOpenAi, stack, 'another')).rejects.toThrow(/401 .*server\.tokens/);
});

describe('a page whose origin is not listed', () => {
  test.each([
    ["the operator's key", KEYS],
    ['a token', { PROXY_SERVER_TOKENS: 'one-token' }],
  ])('gets nothing with %s', async (_, settings) => {
    const site = await startSite();
    const stack = await start({ ...settings, PROXY_SERVER_ALLOWED_ORIGINS: 'https://chat.example' });
    const page = await open(site);
    await expect(run(page, askOpenAi, stack, 'one-token')).rejects.toThrow(
      /Connection error|Failed to fetch/,
    );
    // Without a preflight, the request may arrive; the page cannot read the response.
    const simple = `(url) => fetch(url + '/v1/models?key=one-token').then((response) => response.text())`;
    await expect(run(page, simple, stack, '')).rejects.toThrow(/Failed to fetch/);
  });
});
