/**
 * @module-tag chromium
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { answer, callTool, type ScriptEntry, say } from '@winnow/testkit';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

/** A script that reports the rendered texts and their contrast. */
const INSPECT = readFileSync(resolve(import.meta.dirname, '../../apps/report/test/inspect-page.js'), 'utf8');

interface Painted {
  readonly texts: readonly { text: string; contrast: number; size: number; isOutside: boolean }[];
  readonly width: number;
}

const WANTED = FEW_TOOLS[10]!.name;
const OTHER = FEW_TOOLS[0]!.name;
const QUERY = WANTED.replaceAll('_', ' ');
const SEARCHES: readonly ScriptEntry[] = [
  answer([callTool('gateway_search_tools', { query: QUERY })]),
  answer([callTool(WANTED)]),
];

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await launch({ executablePath: findProgram('chromium'), headless: true, args });
});
afterAll(() => browser?.close());

interface Visit {
  readonly page: Page;
  /** The console's messages, and the requests to addresses other than the proxy. */
  readonly messages: readonly string[];
  readonly elsewhere: readonly string[];
}

async function visit(
  stack: Stack,
  look: { width?: number; scheme?: string; path?: string } = {},
): Promise<Visit> {
  const { width = 1280, scheme = 'light', path = '/' } = look;
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const messages: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(stack.proxyUrl) && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
  });
  await page.setViewport({ width, height: 900, isMobile: width < 600 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(stack.proxyUrl + path);
  return { page, messages, elsewhere };
}

const start = (settings: Record<string, string> = {}, script = SEARCHES) =>
  startStack({
    script: [...script],
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...settings },
  });

async function exchange(stack: Stack): Promise<void> {
  const { length } = stack.records;
  await (await send({ format: 'anthropic', url: stack.proxyUrl })).text();
  await recordsOf(stack, length + 1);
}

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);
const waitForText = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
  );

test('shows an exchange when it happens: its tools, searches, rounds and outcome', async () => {
  const stack = await start();
  const { page, messages, elsewhere } = await visit(stack);
  await waitForText(page, '#connection', 'Live');
  expect(page.url()).toBe(`${stack.proxyUrl}/_winnow/`);
  expect(await textOf(page, '#none')).toContain('None yet');
  await exchange(stack);
  await page.waitForSelector('#exchanges tbody tr');
  const row = (await textOf(page, '#exchanges tbody tr')).split('\t').map((cell) => cell.trim());
  const { tools, model } = stack.records[0]!;
  expect(row.slice(1)).toEqual([
    model,
    'anthropic-messages',
    `${tools.total - tools.deferred + tools.loaded} of ${tools.total} shown`,
    expect.stringMatching(/^1, \d tools? loaded$/),
    '2',
    expect.stringMatching(/ m?s$/),
    expect.stringMatching(/^\$\d/),
    expect.any(String),
    'answered 200',
  ]);
  await waitForText(page, '#totals', '1 with deferred tools');
  expect(await textOf(page, '#states')).toMatch(
    /Selector: not asked\s+Sessions: in memory\s+Upstream anthropic: working/,
  );
  expect(messages).toEqual([]);
  expect(elsewhere).toEqual([]);
});

describe('the detail view', () => {
  async function openDetail(stack: Stack): Promise<Visit> {
    const visited = await visit(stack);
    await waitForText(visited.page, '#connection', 'Live');
    await exchange(stack);
    await visited.page.waitForSelector('#exchanges tbody a');
    await visited.page.focus('#exchanges tbody a');
    await visited.page.keyboard.press('Enter');
    await visited.page.waitForSelector('#detail-body table tbody tr');
    return visited;
  }

  const rowOf = async (page: Page, name: string) =>
    (await page.waitForSelector(`::-p-xpath(//dialog//tbody/tr[td[1]="${name}"])`))!;

  test('opens by keyboard, says of each tool what the model saw and why, and closes by Escape', async () => {
    const { page } = await openDetail(await start());
    const texts = async (name: string) =>
      (await rowOf(page, name)).evaluate((row) =>
        [...row.children].slice(1, 3).map(({ textContent }) => textContent),
      );
    expect(await texts(WANTED)).toEqual(['saw it when loaded', 'found by a search']);
    expect(await texts(OTHER)).toEqual(['did not see it', 'available by search']);
    await page.keyboard.press('Escape');
    expect(await page.$eval('#detail', (dialog) => (dialog as unknown as { open: boolean }).open)).toBe(
      false,
    );
    const focused = await page.evaluate(`document.activeElement.getAttribute('href')`);
    expect(focused).toMatch(/^#exchange=/);
    await page.waitForFunction(`location.hash === ''`);
  });

  test.each([
    [
      'the number of words',
      {},
      /^Query of \d+ characters: (no match among|rank \d+ of) \d+.*matched \d+ words?; missing \d+ words?$/,
    ],
    [
      'the words',
      { PROXY_RECORDS_QUERY_TEXT: 'true' },
      new RegExp(`^“${QUERY}”: .*; matched .*; missing .*$`),
    ],
  ])('says why a tool was not found, with %s', async (_, settings, expected) => {
    const { page } = await openDetail(await start(settings));
    const row = await rowOf(page, OTHER);
    await (await row.$('button'))!.click();
    const place = await page.waitForSelector('#detail-body td [role=status] li');
    expect(await place!.evaluate(({ textContent }) => textContent)).toMatch(expected);
    const everything = await textOf(page, '#detail');
    expect(everything.includes(`“${QUERY}”`)).toBe('PROXY_RECORDS_QUERY_TEXT' in settings);
  });
});

test('keeps what comes while it is paused for later', async () => {
  const stack = await start({}, [...SEARCHES, ...SEARCHES]);
  const { page } = await visit(stack);
  await waitForText(page, '#connection', 'Live');
  await page.click('#pause');
  await exchange(stack);
  await waitForText(page, '#pause', '1 more');
  expect(await page.$$eval('#exchanges tbody tr', ({ length }) => length)).toBe(0);
  await page.click('#pause');
  await page.waitForFunction(`document.querySelectorAll('#exchanges tbody tr').length === 1`);
});

test('shows what happened before it was opened, and a hostile name as text', async () => {
  const stack = await start({}, [answer([say('Hi.')])]);
  const hostile = '<img src=x onerror="window.owned = true">';
  await (await send({ format: 'anthropic', url: stack.proxyUrl, more: { model: hostile } })).text();
  await recordsOf(stack, 1);
  const { page, messages } = await visit(stack);
  await page.waitForSelector('#exchanges tbody tr');
  expect(await textOf(page, '#exchanges tbody')).toContain(hostile);
  await page.click('#exchanges tbody a');
  await waitForText(page, '#detail-body', OTHER);
  expect(await page.evaluate(`'owned' in window`)).toBe(false);
  expect(messages).toEqual([]);
});

test('asks for a token where there are tokens, and shows nothing without', async () => {
  const stack = await start({ PROXY_SERVER_TOKENS: 'one-token' });
  const { page } = await visit(stack);
  await page.waitForSelector('#token-text', { visible: true });
  expect(await page.$eval('#content', (content) => (content as unknown as { hidden: boolean }).hidden)).toBe(
    true,
  );
  await page.type('#token-text', 'one-token');
  await page.keyboard.press('Enter');
  await waitForText(page, '#connection', 'Live');
  expect(await page.$eval('#content', (content) => (content as unknown as { hidden: boolean }).hidden)).toBe(
    false,
  );
});

describe.each([
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 360, scheme: 'dark' },
])('at $width pixels, $scheme', (look) => {
  test('everything can be read, in the page and in the detail view', async () => {
    const stack = await start();
    const { page } = await visit(stack, look);
    await waitForText(page, '#connection', 'Live');
    await exchange(stack);
    await page.waitForSelector('#exchanges tbody tr');
    const check = async () => {
      // Rows arrive highlighted.
      await page.evaluate(
        `Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => {})`,
      );
      const painted = (await page.evaluate(INSPECT)) as Painted;
      expect(painted.width).toBeLessThanOrEqual(look.width);
      expect(painted.texts.length).toBeGreaterThan(20);
      expect(painted.texts.filter(({ contrast, size }) => contrast < 4.5 || size < 12)).toEqual([]);
      expect(painted.texts.filter(({ isOutside }) => isOutside)).toEqual([]);
    };
    await check();
    await page.click('#exchanges tbody a');
    await page.waitForSelector('#detail-body table tbody tr');
    await check();
  });
});
