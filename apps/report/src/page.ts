import { type PriceTable, type StoredRecord, toolTokens } from '@winnow/core';
import { type ExchangeRow, reportPage, rowOf, savedBy, type TimePoint, TotalsTally } from '@winnow/service';
import { TimeBuckets } from './counting/time-buckets.ts';
import type { Report } from './report.ts';
import { moneyHeadline } from './tables/money-part.ts';
import { partsOf } from './tables/parts.ts';
import { contextHeadline } from './tables/tools-part.ts';
import { formatPeriod } from './text/format.ts';
import { titleOf } from './verdict.ts';

/** Number of exchanges on the page: the latest. */
const MOST_ROWS = 1_000;
/** Maximum number of points of a chart; a day has 96 quarters of an hour. */
const MOST_POINTS = 100;
/** Number of servers and of tools on the page: those that cost most. */
const MOST_COSTS = 1_000;

type Sums = Omit<TimePoint, 'start' | 'end'>;

/** Gathers what the page shows beyond the report: totals, points over time, and the latest exchanges. */
export class PageTally {
  readonly #prices: PriceTable;
  readonly #totals: TotalsTally;
  readonly #points = new TimeBuckets<{ -readonly [Field in keyof Sums]: Sums[Field] }>(
    { empty: () => ({ kept: 0, saved: 0, low: 0, high: 0 }), join: addSums },
    MOST_POINTS,
  );
  /** In the order of the file, which is nearly that of time. */
  #latest: { readonly record: StoredRecord; readonly n: number }[] = [];
  #count = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
    this.#totals = new TotalsTally(prices, 0);
  }

  add(record: StoredRecord): void {
    const saved = savedBy(record, this.#prices);
    this.#totals.add(record, saved);
    this.#latest.push({ record, n: this.#count++ });
    if (this.#latest.length >= 2 * MOST_ROWS) this.#latest = latestOf(this.#latest);
    const isDeferring = record.arm === 'full' && record.tools.deferred > 0;
    const before = toolTokens(record.toolBytes.before);
    const after = toolTokens(record.toolBytes.after);
    addSums(this.#points.at(Date.parse(record.time)), {
      kept: isDeferring ? after : before,
      saved: isDeferring ? Math.max(0, before - after) : 0,
      low: saved?.low ?? 0,
      high: saved?.high ?? 0,
    });
  }

  result() {
    const rows = latestOf(this.#latest).map(({ record, n }): ExchangeRow => {
      return rowOf(record, { n, saved: savedBy(record, this.#prices), prices: this.#prices });
    });
    const { widthMs } = this.#points;
    const points = this.#points
      .result()
      .map(({ start, content }): TimePoint => ({ start, end: start + widthMs, ...content }));
    return { totals: this.#totals.totals, points, rows };
  }
}

function latestOf<One extends { readonly record: StoredRecord }>(all: readonly One[]): One[] {
  return all.toSorted((a, b) => (a.record.time < b.record.time ? -1 : 1)).slice(-MOST_ROWS);
}

function addSums(into: { -readonly [Field in keyof Sums]: Sums[Field] }, from: Sums): void {
  for (const field of ['kept', 'saved', 'low', 'high'] as const) into[field] += from[field];
}

/** Returns the report as the page that a running proxy has, too: one file that needs no network. */
export function renderPage(report: Report, exchanges: ReturnType<PageTally['result']>): string {
  const { traffic, tools, money, verdict, toolCosts } = report;
  return reportPage({
    about: formatPeriod(traffic),
    headlines: [contextHeadline(tools), moneyHeadline(money)].filter((line) => line !== undefined),
    verdict: { ...verdict, title: titleOf(verdict) },
    ...exchanges,
    costs: {
      ...toolCosts,
      tools: toolCosts.tools.slice(0, MOST_COSTS),
      servers: toolCosts.servers.slice(0, MOST_COSTS),
    },
    // The page has its own table of servers and tools.
    parts: partsOf(report).filter(({ id }) => id !== 'tool-costs'),
  });
}
