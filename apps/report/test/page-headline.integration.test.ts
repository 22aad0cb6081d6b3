import type { StoredRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { renderPage } from '../src/page/render-page.ts';
import { moneyHeadline } from '../src/tables/money-part.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

test('the page has the headline of the terminal', () => {
  const records = makeRecords({ seed: 7, exchanges: 4_000, reasons: ['inside_percent', 'outside_percent'] });
  // All of them can be priced.
  const priced: Partial<StoredRecord> = {
    model: 'claude-opus-5',
    upstreamCalls: 1,
    searches: [],
    outcome: 'answered',
    status: 200,
    usage: { inputTokens: 1_000, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 },
  };
  const report = reportOn(records.map((record) => ({ ...record, ...priced })));
  const headline = moneyHeadline(report.money)!;
  expect(headline).toMatch(/^Measured: /);
  expect(renderPage(report)).toContain(`<p class="headline">${headline}</p>`);
});
