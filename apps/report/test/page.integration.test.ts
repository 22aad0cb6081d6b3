/**
 * @module-tag chromium
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StoredRecord } from '@winnow/core';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { renderPage } from '../src/page/render-page.ts';
import { makeRecords } from './make-records.ts';
import { type Look, openBrowser, type PaintedPage, type PaintedPlot, paint } from './open-browser.ts';
import { reportOn } from './report-on.ts';

const RECORDS = makeRecords({
  seed: 21,
  exchanges: 3_000,
  reasons: ['inside_percent', 'outside_percent', 'outside_percent', 'rollout_off'],
  failureShare: 0.03,
  missShare: 0.1,
});
const REPORT = reportOn(RECORDS);
const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 800, scheme: 'light' },
  { width: 390, scheme: 'light' },
  { width: 360, scheme: 'dark' },
];

// A browser takes its time on a machine that has much else to do.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder = '';
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'report-page-'));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function paintReport(records: readonly StoredRecord[], look: Look): Promise<PaintedPage> {
  const path = join(folder, 'page.html');
  writeFileSync(path, renderPage(reportOn(records)));
  return paint(browser, path, look);
}

function plotOf(page: PaintedPage, title: string): PaintedPlot {
  const plot = page.plots.find((candidate) => candidate.title === title);
  if (plot === undefined) throw new Error(`No plot "${title}" is shown.`);
  return plot;
}

/** Columns and bars of a colour that can be seen, from left to right or from top to bottom. */
function barsOf(plot: PaintedPlot, paint: string) {
  return plot.marks
    .filter((mark) => mark.paint === paint && mark.isFilled && !mark.isArea)
    .map(({ box }) => box)
    .filter(({ width, height }) => width > 0.5 && height > 0.5);
}

describe.each(LOOKS)('at $width pixels, $scheme', (look) => {
  let page: PaintedPage;
  beforeAll(async () => {
    page = await paintReport(RECORDS, look);
  });

  test('says nothing on the console and asks nothing of the network', () => {
    expect(page.messages).toEqual([]);
    expect(page.requests).toEqual([pathToFileURL(join(folder, 'page.html')).href]);
    expect(page.scripts).toBe(0);
  });

  test('shows every plot once, with a text for those who do not see it', () => {
    expect(page.plots.map(({ title }) => title)).toEqual([
      'Would have missed a tool, over time',
      'Tools most often missed',
      "The selector's picks against local relevance",
      'Rank correlation of picks in both',
      'Tokens of tools over time, arm full',
      'Tokens of tools over time, watched exchanges',
      'Tools per request',
      'Outcomes of searches',
      'Fallbacks of arm full, as shares',
      'Added latency by arm',
      'Where the time goes, arm full',
      'Exchanges over time, by arm',
    ]);
    expect(page.labels.every((label) => label.length > 40)).toBe(true);
  });

  test('needs no scrolling to the side, and cuts no text', () => {
    expect(page.width).toBeLessThanOrEqual(look.width);
    expect(page.texts.filter(({ isOutside }) => isOutside)).toEqual([]);
    for (const { title, box, texts } of page.plots) {
      const cut = texts.filter((text) => text.box.left < box.left - 0.5 || text.box.right > box.right + 0.5);
      const over = texts.filter((text) => text.box.top < box.top - 1.5 || text.box.bottom > box.bottom + 1.5);
      expect({ title, texts: [...cut, ...over].map(({ text }) => text) }).toEqual({ title, texts: [] });
    }
  });

  test('puts no text of a plot upon another', () => {
    for (const { title, texts } of page.plots) {
      const overlapping = texts.flatMap((a, index) =>
        texts
          .slice(index + 1)
          .filter((b) => overlaps(a.box, b.box))
          .map((b) => `${a.text} / ${b.text}`),
      );
      expect({ title, overlapping }).toEqual({ title, overlapping: [] });
    }
  });

  test('has letters that can be read, in size and in contrast', () => {
    const inPlots = page.plots.flatMap(({ texts }) => texts);
    expect(inPlots.length).toBeGreaterThan(80);
    expect(inPlots.filter(({ size }) => size < 10).map(({ text }) => text)).toEqual([]);
    expect(page.texts.filter(({ size }) => size < 11).map(({ text }) => text)).toEqual([]);
    expect([...page.texts, ...inPlots].filter(({ contrast }) => contrast < 4.5)).toEqual([]);
  });

  test('has marks that stand out from their ground', () => {
    const data = page.plots
      .flatMap(({ marks }) => marks)
      .filter(({ paint, isArea }) => isDataColour(paint) && !isArea);
    expect(data.length).toBeGreaterThan(150);
    expect(
      data.filter(({ contrast }) => contrast < 3).map(({ paint, contrast }) => [paint, contrast]),
    ).toEqual([]);
    expect(page.keys.filter((contrast) => contrast < 3)).toEqual([]);
  });

  test('draws every mark within its plot', () => {
    for (const { title, box, marks } of page.plots) {
      const outside = marks.filter(
        ({ paint, at }) => isDataColour(paint) && (at.left < box.left - 1 || at.right > box.right + 1),
      );
      expect({ title, outside }).toEqual({ title, outside: [] });
    }
  });
});

describe('plots', () => {
  let page: PaintedPage;
  beforeAll(async () => {
    page = await paintReport(RECORDS, { width: 1280, scheme: 'light' });
  });

  test('have columns as high as their numbers', () => {
    const { points } = REPORT.watching.rankCorrelation;
    const counts = points.map(({ count }) => count).filter((count) => count > 0);
    const heights = barsOf(plotOf(page, 'Rank correlation of picks in both'), 'var(--blue)').map(
      ({ height }) => height,
    );
    expectProportional(heights, counts);
  });

  test('stack the arms of each stretch of time', () => {
    const plot = plotOf(page, 'Exchanges over time, by arm');
    const { entries } = REPORT.timeline;
    const seen = (arm: 'off' | 'shadow' | 'full') =>
      entries.map(({ arms }) => arms[arm]).filter((count) => count > 0);
    const heights = ['var(--grey)', 'var(--orange)', 'var(--teal)'].map((paint) =>
      barsOf(plot, paint).map(({ height }) => height),
    );
    expectProportional(heights.flat(), [...seen('off'), ...seen('shadow'), ...seen('full')]);
    // The lowest part stands on the axis, the next one on it.
    const [grey, orange] = [barsOf(plot, 'var(--grey)')[0]!, barsOf(plot, 'var(--orange)')[0]!];
    expect(orange.x).toBeCloseTo(grey.x, 1);
    expect(orange.y + orange.height).toBeCloseTo(grey.y, 0);
  });

  test('have bars as long as the share of each outcome', () => {
    const { outcomes, searches } = REPORT.searches.results;
    const shares = ['found', 'no_match', 'api_error', 'api_timeout'].map(
      (outcome) => (outcomes[outcome as 'found'] ?? 0) / searches,
    );
    const widths = barsOf(plotOf(page, 'Outcomes of searches'), 'var(--teal)').map(({ width }) => width);
    expectProportional(
      widths,
      shares.filter((share) => share > 0),
    );
  });

  test('put what was missed upon what was called', () => {
    const plot = plotOf(page, 'Tools most often missed');
    const tools = REPORT.watching.mostMissed.slice(0, 10);
    const called = barsOf(plot, 'var(--faint)');
    const missed = barsOf(plot, 'var(--red)');
    expectProportional(
      [...called, ...missed].map(({ width }) => width),
      [...tools.map((tool) => tool.called), ...tools.map((tool) => tool.missed)],
    );
    expect(missed.map(({ y }) => Math.round(y))).toEqual(called.map(({ y }) => Math.round(y)));
  });

  test('place percentiles on a logarithmic scale', () => {
    const plot = plotOf(page, 'Added latency by arm');
    const { full, shadow } = REPORT.latency;
    const centres = (paint: string) =>
      plot.marks.filter((mark) => mark.paint === paint).map(({ at: { left, right } }) => (left + right) / 2);
    const at = ['var(--teal)', 'var(--blue)', 'var(--violet)'].map(centres);
    const values = [shadow!.added, full!.added];
    const perDecade = values.flatMap(({ p50, p95, p99 }, row) => [
      (at[1]![row]! - at[0]![row]!) / Math.log10(p95 / p50),
      (at[2]![row]! - at[0]![row]!) / Math.log10(p99 / p50),
    ]);
    expect(at.map((row) => row.length)).toEqual([2, 2, 2]);
    for (const distance of perDecade) expect(distance / perDecade[0]!).toBeCloseTo(1, 1);
  });

  test('draw tokens before above tokens after', () => {
    const plot = plotOf(page, 'Tokens of tools over time, arm full');
    const line = (paint: string) => plot.marks.find((mark) => mark.paint === paint && !mark.isFilled)!.box;
    expect(line('var(--grey)').y).toBeLessThan(line('var(--teal)').y);
    expect(line('var(--teal)').width).toBeGreaterThan(300);
  });
});

test('light and dark differ in every colour', async () => {
  const [light, dark] = [
    await paintReport(RECORDS, { width: 1280, scheme: 'light' }),
    await paintReport(RECORDS, { width: 1280, scheme: 'dark' }),
  ];
  expect(light.ground).not.toBe(dark.ground);
  const colours = (page: PaintedPage) =>
    new Map(page.plots.flatMap(({ marks }) => marks).map(({ paint, colour }) => [paint, colour]));
  const inDark = colours(dark);
  for (const [paint, colour] of colours(light)) {
    if (paint?.startsWith('var(')) expect([paint, colour]).not.toEqual([paint, inDark.get(paint)]);
  }
});

test('headings make an outline without a gap', async () => {
  const { headings } = await paintReport(RECORDS, { width: 1280, scheme: 'light' });
  expect(headings.filter((level) => level === 1).length).toBe(1);
  expect(headings.filter((level, index) => level > (headings[index - 1] ?? 0) + 1)).toEqual([]);
});

describe('names from records', () => {
  const NAMES = [
    '<script>window.owned = true</script>',
    '<img src=x onerror="window.owned = true">',
    '"><svg onload="window.owned = true">',
    "'-alert(1)-'",
    '</title></style><h1>x</h1>',
    '\u001b[31mred\u0000\u202e',
    'a'.repeat(5_000),
    'MW@名'.repeat(50),
    '{{constructor}} {a|b}\n',
  ];
  const hostile = makeRecords({ seed: 6, exchanges: 600, reasons: ['rollout_shadow'], missShare: 1 }).map(
    (record, index) => {
      const name = NAMES[index % NAMES.length]!;
      const { observation } = record;
      if (observation?.called === undefined) return { ...record, model: name, upstream: name, format: name };
      const search = { ...observation.search!, names: [name] };
      const watched = { ...observation, search, called: [name], wouldHaveMissed: [name] };
      return { ...record, model: name, planReason: name, upstream: name, observation: watched };
    },
  );

  test('are texts and nothing else', async () => {
    const page = await paintReport(hostile, { width: 1280, scheme: 'light' });
    expect(page).toMatchObject({ isOwned: false, scripts: 0, messages: [] });
    expect(page.requests.length).toBe(1);
    const shown = page.texts.map(({ text }) => text);
    expect(shown).toContain('<script>window.owned = true</script>');
    expect(shown).toContain('\\u{1b}[31mred\\u{0}\\u{202e}');
    expect(page.headings.filter((level) => level === 1).length).toBe(1);
  });

  test('do not push the page out of a phone', async () => {
    const page = await paintReport(hostile, { width: 390, scheme: 'light' });
    expect(page.width).toBeLessThanOrEqual(390);
    for (const { box, texts } of page.plots) {
      expect(
        texts.filter((text) => text.box.right > box.right + 0.5 || text.box.left < box.left - 0.5),
      ).toEqual([]);
    }
  });
});

test.each([
  ['no record', []],
  ['one record', makeRecords({ seed: 3, exchanges: 1, reasons: ['rollout_full'] })],
  ['arm off alone', makeRecords({ seed: 3, exchanges: 50, reasons: ['rollout_off'] })],
  ['arm dark alone', makeRecords({ seed: 3, exchanges: 50, reasons: ['rollout_dark'] })],
])('a report on %s is a page that can be read', async (_, records) => {
  const page = await paintReport(records, { width: 390, scheme: 'dark' });
  expect(page.messages).toEqual([]);
  expect(page.width).toBeLessThanOrEqual(390);
  expect(page.texts.length).toBeGreaterThan(3);
  expect(page.texts.filter(({ text }) => /NaN|undefined|Infinity/.test(text))).toEqual([]);
});

function isDataColour(paint: string | null): boolean {
  return /^var\(--(grey|teal|blue|violet|orange|red|faint)\)$/.test(paint ?? '');
}

function overlaps(a: PaintedPlot['box'], b: PaintedPlot['box']): boolean {
  const slack = 1;
  return (
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack + 2
  );
}

/** One pixel of scale for all, give or take what is rounded to whole pixels. */
function expectProportional(lengths: readonly number[], values: readonly number[]): void {
  expect(lengths.length).toBe(values.length);
  const perUnit = Math.max(...lengths) / Math.max(...values);
  for (const [index, length] of lengths.entries()) {
    expect(Math.abs(length - values[index]! * perUnit)).toBeLessThan(1.5);
  }
}
