import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ToolCostTable } from '@winnow/core';
import { type SelfContainedPage, selfContainedPage } from '../api/self-contained-page.ts';
import type { ExchangeRow, ExchangeTotals } from './exchange-row.ts';

export * from './exchange-row.ts';

/**
 * The page about exchanges. It has two sources: a running proxy, which it asks, and a report, whose data it holds.
 * Both have the same totals, charts, exchanges, servers and tools; a report adds its verdict and its parts.
 */

/** A table whose cells are texts. */
export interface Table {
  readonly title: string;
  /** The titles of the columns. */
  readonly columns: readonly string[];
  /** The number of columns from the left that hold texts, not numbers; 1 by default. */
  readonly textColumns?: number;
  readonly rows: readonly (readonly string[])[];
  /** An explanation for readers. */
  readonly note?: string | undefined;
}

/** One part of a report, the same on the terminal and on the page. */
export interface Part {
  readonly id: string;
  readonly title: string;
  /** Sentences above the tables; without any data, the only content. */
  readonly sentences: readonly string[];
  /** Tables without rows are not shown. */
  readonly tables: readonly Table[];
}

/** The sums of a stretch of time, for charts. */
export interface TimePoint {
  /** In milliseconds since the epoch, as is the end. */
  readonly start: number;
  readonly end: number;
  /** Tokens of tools that were sent, and that were kept out of prompts. */
  readonly kept: number;
  readonly saved: number;
  /** Bounds of the money saved; negative for a loss. */
  readonly low: number;
  readonly high: number;
}

/** The data of a report. */
export interface ReportData {
  /** The subject, such as the period. */
  readonly about: string;
  /** Sentences to read first. */
  readonly headlines: readonly string[];
  readonly verdict: {
    readonly title: string;
    readonly state: string;
    readonly summary: string;
    readonly findings: readonly {
      readonly state: string;
      readonly subject: string;
      readonly value: string;
      readonly limit: string;
    }[];
    readonly notes: readonly string[];
  };
  readonly totals: ExchangeTotals;
  readonly points: readonly TimePoint[];
  /** The latest exchanges, oldest first. */
  readonly rows: readonly ExchangeRow[];
  readonly costs: ToolCostTable;
  readonly parts: readonly Part[];
}

/** The modules of the page, in order of their imports. */
const MODULES = [
  new URL('./client/page-dom.js', import.meta.url),
  new URL('./client/page-source.js', import.meta.url),
  new URL('./client/page-chart.js', import.meta.url),
  new URL('./client/page-rows.js', import.meta.url),
  new URL('./client/page-costs.js', import.meta.url),
  new URL('./client/page-detail.js', import.meta.url),
  new URL('./client/page-exchanges.js', import.meta.url),
  new URL('./client/page-report.js', import.meta.url),
  new URL('./client/page-state.js', import.meta.url),
  new URL('./client/page-main.js', import.meta.url),
];

const IMPORT = /^import \{[^}]*\} from '\.\/[\w-]+\.js';\n/gm;

/**
 * Joins the page's modules into one script, so that the page is a single response whose hash its policy
 * names. The modules share one scope: duplicate top-level names make the browser reject the script.
 */
function clientScript(): string {
  return MODULES.map((url) =>
    read(url)
      .replace(IMPORT, '')
      .replace(/^export /gm, ''),
  ).join('');
}

const read = (url: URL) => readFileSync(url, 'utf8');

const parts = () => ({
  html: read(new URL('./client/exchange-page.html', import.meta.url)),
  style: read(new URL('./client/exchange-page.css', import.meta.url)),
  script: clientScript(),
});

/** Returns the page of a running proxy, which asks it for everything. */
export function exchangePage(): SelfContainedPage {
  return selfContainedPage(parts());
}

/**
 * Returns the page of a report as one file that needs no network: its policy allows its own style and script and
 * nothing else. The data is JSON in an element that no browser runs, without any `<`.
 */
export function reportPage(data: ReportData): string {
  const { html, style, script } = parts();
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:`;
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return html
    .replace(
      '<meta charset="utf-8">',
      (tag) => `${tag}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace('<title>Winnow, live</title>', '<title>Winnow, report</title>')
    .replace('<style>', (tag) => tag + style)
    .replace('<script type="application/json" id="data">', (tag) => tag + json)
    .replace('<script type="module">', (tag) => tag + script);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
