import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PRICES, type StoredRecord } from '@winnow/core';
import axe from 'axe-core';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PageTally, renderPage } from '../src/page.ts';
import { moneyHeadline } from '../src/tables/money-part.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

/**
 * @module-tag chromium
 */

/** A script that reports the painted texts and bars. */
const INSPECT = readFileSync(resolve(import.meta.dirname, 'inspect-page.js'), 'utf8');

const chromium = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();

interface Painted {
  readonly texts: readonly { text: string; contrast: number; size: number; isOutside: boolean }[];
  readonly bars: readonly { kind: string; width: number; contrast: number }[];
  readonly width: number;
  readonly height: number;
  readonly headings: readonly number[];
}

// A browser takes its time on a machine that has much else to do.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const RECORDS = makeRecords({
  seed: 21,
  exchanges: 3_000,
  reasons: ['inside_percent', 'outside_percent', 'outside_percent', 'rollout_off'],
  failureShare: 0.03,
  missShare: 0.1,
}).map((record): StoredRecord => {
  // All can be priced; some lose money.
  const usage = { inputTokens: 20_000, outputTokens: 50, cachedInputTokens: 0, cacheWriteTokens: 0 };
  const { before, after } = record.toolBytes;
  return {
    ...record,
    ...{
      model: 'claude-opus-5',
      usage: [usage],
      upstreamCalls: 1,
      searches: [],
      promptBytes: after + 9_000,
    },
    toolBytes: { ...record.toolBytes, before, after, first: after },
  };
});

let folder = '';
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'report-page-'));
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await launch({ executablePath: chromium, headless: true, args });
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

function pageOf(records: readonly StoredRecord[]): string {
  const tally = new PageTally(PRICES);
  for (const record of records) tally.add(record);
  return renderPage(reportOn(records), tally.result());
}

async function open(
  records: readonly StoredRecord[],
  { width, scheme }: { readonly width: number; readonly scheme: string } = { width: 1280, scheme: 'light' },
) {
  const path = join(folder, 'page.html');
  writeFileSync(path, pageOf(records));
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const messages: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.setViewport({ width, height: 900, isMobile: width < 600 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(pathToFileURL(path).href);
  return { page, messages, requests, url: pathToFileURL(path).href };
}

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);

describe.each([
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 360, scheme: 'dark' },
])('at $width pixels, $scheme', (look) => {
  test('is readable, accessible, and asks nothing of the network', async () => {
    const { page, messages, requests, url } = await open(RECORDS, look);
    await page.waitForSelector('#exchanges tbody tr');
    await page.waitForSelector('#chart-money rect');
    const painted = (await page.evaluate(INSPECT)) as Painted;
    expect(painted.width).toBeLessThanOrEqual(look.width);
    expect(painted.texts.filter(({ isOutside }) => isOutside)).toEqual([]);
    expect(painted.texts.filter(({ size }) => size < 11).map(({ text }) => text)).toEqual([]);
    expect(painted.texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
    expect(painted.bars.filter(({ contrast }) => contrast < 3)).toEqual([]);
    // A narrower bar is a hairline.
    expect(painted.bars.filter(({ width }) => width < 6)).toEqual([]);
    expect(painted.bars.length).toBeGreaterThan(20);
    const jumps = painted.headings.filter((level, at) => level > (painted.headings[at - 1] ?? 0) + 1);
    expect(jumps).toEqual([]);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; nodes: unknown }[];
    };
    expect(violations.map(({ id, nodes }) => [id, JSON.stringify(nodes).slice(0, 300)])).toEqual([]);
    expect(messages).toEqual([]);
    expect(requests.filter((request) => !request.startsWith('data:'))).toEqual([url]);
  });
});

test('has the verdict, the totals, the latest exchanges, and the parts of the terminal', async () => {
  const { page } = await open(RECORDS);
  await page.waitForSelector('#exchanges tbody tr');
  const report = reportOn(RECORDS);
  expect(await textOf(page, '#verdict')).toContain(report.verdict.summary);
  expect(await textOf(page, '.headline')).toMatch(/^Context: tools took/);
  expect(await textOf(page, '.headline:nth-of-type(2)')).toBe(moneyHeadline(report.money));
  expect(await page.$$eval('.findings li', ({ length }) => length)).toBe(report.verdict.findings.length);
  expect(await textOf(page, '#totals')).toContain('3,000');
  expect(await textOf(page, '#shown')).toMatch(/of 1,000 exchanges, 1,000 held$/);
  expect(await page.$$eval('#parts summary', (all) => all.map(({ textContent }) => textContent))).toEqual(
    expect.arrayContaining(['Money', 'Tools and tokens', 'Searches', 'Latency']),
  );
});

test('filters, sorts and shows an exchange without a proxy', async () => {
  const { page, messages } = await open(RECORDS);
  await page.waitForSelector('#exchanges tbody tr');
  await page.type('#filter-words', 'request-2999');
  await page.waitForFunction(`document.querySelector('#shown').textContent.startsWith('1 of 1 ')`);
  await page.click('#exchanges tbody a');
  await page.waitForSelector('#detail[open]');
  expect(await textOf(page, '#detail-body')).toContain('request-2999');
  expect(messages).toEqual([]);
});

test('shows hostile names as text', async () => {
  const hostile = '</script><img src=x onerror="window.owned = true">';
  const { page, messages } = await open(
    RECORDS.slice(0, 50).map((record) => ({ ...record, model: hostile })),
  );
  await page.waitForSelector('#exchanges tbody tr');
  expect(await textOf(page, '#exchanges tbody')).toContain(hostile);
  expect(await page.evaluate(`'owned' in window`)).toBe(false);
  expect(messages).toEqual([]);
});

test('says so without a record', async () => {
  const { page, messages } = await open([]);
  expect(await textOf(page, '#none')).toBe('No record was found.');
  expect(messages).toEqual([]);
});
