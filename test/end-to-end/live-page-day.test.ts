/**
 * @module-tag chromium
 */
import axe from 'axe-core';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { DAY, recordOf, serveDay } from './live-day.ts';

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await launch({ executablePath: findProgram('chromium'), headless: true, args });
});
afterAll(() => browser?.close());

async function serve(exchanges: number) {
  const served = await serveDay(exchanges);
  onTestFinished(served.close);
  return served;
}

async function visit(
  address: string,
  { width = 1280, scheme = 'light' }: { width?: number; scheme?: string } = {},
): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.setViewport({ width, height: 900, isMobile: width < 600 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(address);
  await page.waitForSelector('#exchanges tbody tr');
  return page;
}

const shown = (page: Page) => page.$eval('#shown', ({ textContent }) => textContent);
const until = (page: Page, text: string) =>
  page.waitForFunction(`document.querySelector('#shown').textContent === ${JSON.stringify(text)}`);
const firstCells = (page: Page, column: number) =>
  page.$$eval(
    '#exchanges tbody tr',
    (rows, at) => rows.slice(0, 3).map((row) => row.children[at]!.textContent),
    column,
  );

describe('a day of exchanges', () => {
  test('is held whole, and shown a hundred at a time', async () => {
    const { take, url } = await serve(DAY + 1);
    const page = await visit(url);
    expect(await shown(page)).toBe('100 of 10,000 exchanges, 10,000 held');
    await page.click('#more');
    await until(page, '200 of 10,000 exchanges, 10,000 held');
    take({ ...recordOf(DAY + 1), model: 'the-newest' });
    await page.waitForFunction(
      `document.querySelector('#exchanges tbody tr').textContent.includes('the-newest')`,
    );
    expect(await page.$$eval('#exchanges tbody tr', ({ length }) => length)).toBe(200);
  });

  test('is filtered by words and kind, sorted by a column, and drawn', async () => {
    const { url } = await serve(DAY);
    const page = await visit(url);
    await page.type('#filter-words', 'GPT request-999');
    await until(page, '2 of 2 exchanges, 10,000 held');
    await page.$eval('#filter-words', (input) => {
      (input as unknown as { value: string }).value = '';
    });
    await page.select('#filter-kind', 'failed');
    await until(page, '100 of 104 exchanges, 10,000 held');
    expect(await page.$eval('#chart-tokens svg', (svg) => svg.getAttribute('aria-label'))).toBe(
      'Tokens of tools: 52K sent, 2.08M kept out of prompts.',
    );
    expect(await page.$eval('#chart-money svg', (svg) => svg.getAttribute('aria-label'))).toMatch(
      /^Money: deferring saved \$[\d.]+ to \$[\d.]+\.$/,
    );
    await page.select('#filter-kind', 'all');
    await page.focus('#exchanges th:nth-child(7) button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#exchanges th:nth-child(7)[aria-sort=descending]');
    await page.waitForFunction(
      `document.querySelector('#exchanges td:nth-child(7)').textContent === '49 ms'`,
    );
    expect(await firstCells(page, 6)).toEqual(['49 ms', '49 ms', '49 ms']);
  });

  test('is exported as the filter shows it', async () => {
    const { url } = await serve(DAY);
    const page = await visit(url);
    await page.select('#filter-kind', 'failed');
    await until(page, '100 of 104 exchanges, 10,000 held');
    const saved = await page.evaluate(`new Promise((resolve) => {
      URL.createObjectURL = (blob) => { blob.text().then(resolve); return '#'; };
      document.querySelector('#csv').click();
    })`);
    expect(String(saved).split('\r\n')).toHaveLength(1 + 104 + 1);
    expect(saved).toContain(',request-9991,');
  });

  test('has an address for each exchange, also for one whose record is gone', async () => {
    const { url } = await serve(DAY + 200);
    const page = await visit(`${url}#exchange=request-9999`);
    await page.waitForFunction(`document.querySelector('#detail-body dl')`);
    expect(await page.$eval('#detail', ({ textContent }) => textContent)).toContain('request-9999');
    await page.keyboard.press('Escape');
    await page.waitForFunction(`location.hash === '' && !document.querySelector('#detail').open`);
    await page.evaluate(`location.hash = '#exchange=request-7'`);
    await page.waitForFunction(
      `document.querySelector('#detail-body').textContent.includes('no longer holds')`,
    );
    await page.evaluate(`location.hash = '#exchange=%3Cimg%20src%3Dx%3E'`);
    await page.waitForFunction(`document.querySelector('#detail-body').textContent.includes('<img src=x>')`);
  });

  test('comes once, and whole, after the connection was lost', async () => {
    const { take, url } = await serve(3);
    const page = await visit(url);
    await until(page, '3 of 3 exchanges, 3 held');
    take(recordOf(3));
    await until(page, '4 of 4 exchanges, 4 held');
    await page.reload();
    await until(page, '4 of 4 exchanges, 4 held');
  });
});

describe('servers and tools', () => {
  const costs = (page: Page) => page.$eval('#costs-shown', ({ textContent }) => textContent);
  const untilCosts = (page: Page, text: string) =>
    page.waitForFunction(`document.querySelector('#costs-shown').textContent === ${JSON.stringify(text)}`);
  const firstCosts = (page: Page) =>
    page.$$eval('#costs-table tbody tr', (rows) =>
      rows.slice(0, 2).map((row) => [...row.children].map(({ textContent }) => textContent)),
    );

  test('stand below the exchanges, with their costs, those that cost most first', async () => {
    const { url } = await serve(1_000);
    const page = await visit(url);
    await untilCosts(page, '5 of 5 servers, in 1,000 exchanges');
    const [first] = await firstCosts(page);
    // One kept tool of 101 tokens in each exchange, and ten that were loaded 20 times each.
    expect(first!.slice(0, 5)).toEqual([
      '(no server in the name)',
      '20, 10 never called',
      '2,260',
      '1,200',
      '122,600',
    ]);
  });

  test('are filtered, sorted by keyboard, and exported', async () => {
    const { url } = await serve(1_000);
    const page = await visit(url);
    await untilCosts(page, '5 of 5 servers, in 1,000 exchanges');
    await page.select('#costs-kind', 'uncalled');
    await untilCosts(page, '25 of 50 tools, in 1,000 exchanges');
    await page.type('#costs-words', 'MAIL tool_9');
    await untilCosts(page, '2 of 2 tools, in 1,000 exchanges');
    await page.focus('#costs-table th:nth-child(1) button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#costs-table th:nth-child(1)[aria-sort=descending]');
    expect((await firstCosts(page)).map(([name]) => name)).toEqual([
      'mcp__mail__tool_98',
      'mcp__mail__tool_93',
    ]);
    const saved = await page.evaluate(`new Promise((resolve) => {
      URL.createObjectURL = (blob) => { blob.text().then(resolve); return '#'; };
      document.querySelector('#costs-csv').click();
    })`);
    expect(String(saved).split('\r\n')).toHaveLength(1 + 2 + 1);
    expect(saved).toContain('mcp__mail__tool_98,mail,,0,');
    expect(await costs(page)).toBe('2 of 2 tools, in 1,000 exchanges');
  });
});

describe.each([
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
])('at $width pixels, $scheme', (look) => {
  test('axe finds nothing, in the page and in the detail view', async () => {
    const { url } = await serve(300);
    const page = await visit(url, look);
    await page.waitForSelector('#costs-table tbody tr');
    await page.evaluate(axe.source);
    const check = async () => {
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: unknown }[];
      };
      expect(violations.map(({ id, nodes }) => [id, JSON.stringify(nodes).slice(0, 300)])).toEqual([]);
    };
    await check();
    await page.click('#exchanges tbody a');
    await page.waitForFunction(`document.querySelector('#detail-body dl')`);
    await check();
    const isWider = await page.evaluate(`document.documentElement.scrollWidth > innerWidth`);
    expect(isWider).toBe(false);
  });
});

test('a phone shows 48 exchanges in a few screens, and no bar as a hairline', async () => {
  const { url } = await serve(48);
  const page = await visit(url, { width: 390 });
  await page.waitForSelector('#costs-table tbody tr');
  expect(await page.evaluate(`document.documentElement.scrollHeight`)).toBeLessThan(4_500);
  const widths = await page.$$eval('#chart-money rect', (bars) =>
    bars.map(
      (bar) =>
        (bar as unknown as { getBoundingClientRect(): { width: number } }).getBoundingClientRect().width,
    ),
  );
  expect(widths.length).toBeGreaterThan(5);
  expect(Math.min(...widths)).toBeGreaterThan(6);
});
