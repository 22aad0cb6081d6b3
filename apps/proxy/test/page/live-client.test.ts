import { describe, expect, test } from 'vitest';
// The page's modules without elements run anywhere.
// @ts-expect-error: the page is checked with the types of browsers, by a configuration of its own.
import { addUp } from '../../src/page/client/live-chart.js';
// @ts-expect-error: see above.
import { COLUMNS } from '../../src/page/client/live-columns.js';
// @ts-expect-error: see above.
import { toCsv, toJson } from '../../src/page/client/live-export.js';
// @ts-expect-error: see above.
import { Rows } from '../../src/page/client/live-rows.js';
import type { LiveRow } from '../../src/page/live-row.ts';

const ROW: LiveRow = {
  n: 0,
  id: 'id-0',
  time: Date.UTC(2026, 10, 24),
  model: 'claude-opus-5',
  format: 'anthropic-messages',
  upstream: 'anthropic',
  session: undefined,
  agent: 'a1',
  arm: 'full',
  plan: 'deferred',
  tools: 100,
  shown: 5,
  deferred: 95,
  searches: 0,
  loaded: 0,
  rounds: 1,
  addedMs: 2,
  totalMs: 100,
  outcome: 'answered',
  isFailed: false,
  status: 200,
  cause: undefined,
  restored: undefined,
  tokensBefore: 20_000,
  tokensAfter: 500,
  cost: 0.02,
  savedLow: 0.01,
  savedHigh: 0.1,
};

const column = (name: string) => COLUMNS.find((one: { name: string }) => one.name === name);
function hold(...all: Partial<LiveRow>[]) {
  const rows = new Rows();
  for (const [n, one] of all.entries()) rows.add({ ...ROW, n, id: `id-${n}`, ...one });
  return rows;
}
const idsOf = (rows: LiveRow[]) => rows.map(({ n }) => n);

describe('rows', () => {
  const rows = hold(
    { model: 'gpt-5', cost: 0.5 },
    { model: 'claude-opus-5', cost: undefined, isFailed: true, status: 529 },
    { model: 'claude-haiku-5', cost: 0.1, searches: 2, savedLow: -0.2, savedHigh: -0.1 },
    { model: 'gpt-5', upstream: 'azure', cost: 0.5, deferred: 0, restored: 'answer_unreadable' },
  );
  const choose = (words: string, kind = 'all', by = 'time', isDescending = true) =>
    idsOf(rows.choose({ words, kind }, column(by), isDescending));

  test('are filtered by words, all of which must occur', () => {
    expect(choose('')).toEqual([3, 2, 1, 0]);
    expect(choose('GPT')).toEqual([3, 0]);
    expect(choose('gpt azure')).toEqual([3]);
    expect(choose('id-2')).toEqual([2]);
    expect(choose('529')).toEqual([1]);
    expect(choose('.*')).toEqual([]);
  });

  test.each([
    ['deferred', [2, 1, 0]],
    ['searched', [2]],
    ['failed', [1]],
    ['restored', [3]],
    ['lost', [2]],
  ])('are filtered by kind: %s', (kind, expected) => {
    expect(choose('', kind)).toEqual(expected);
  });

  test('are sorted by any column, the newest first among equals', () => {
    expect(choose('', 'all', 'time', false)).toEqual([0, 1, 2, 3]);
    expect(choose('', 'all', 'cost')).toEqual([3, 0, 2, 1]);
    expect(choose('', 'all', 'cost', false)).toEqual([1, 2, 3, 0]);
    expect(choose('', 'all', 'model', false)).toEqual([2, 1, 3, 0]);
  });

  test('are held once, and the oldest makes room', () => {
    const many = hold(...Array.from({ length: 10_002 }, () => ({})));
    many.add({ ...ROW, n: 10_001 });
    expect([many.size, many.find('id-1'), many.find('id-2')?.n]).toEqual([10_000, undefined, 2]);
  });
});

describe('exported rows', () => {
  test('are CSV that no spreadsheet runs', () => {
    const csv = toCsv([{ ...ROW, model: '=cmd("x"),1', cause: undefined }]);
    const [head, line, end] = csv.split('\r\n');
    expect(head).toMatch(/^time,id,model,format,/);
    expect(line).toContain(`2026-11-24T00:00:00.000Z,id-0,"'=cmd(""x""),1",anthropic-messages`);
    expect([line!.split(',').length, end]).toEqual([head!.split(',').length + 1, '']);
  });

  test('are JSON with the same fields', () => {
    expect(JSON.parse(toJson([ROW]))).toEqual([
      expect.objectContaining({ id: 'id-0', time: '2026-11-24T00:00:00.000Z', cost: 0.02 }),
    ]);
  });
});

test('a chart adds up every row once, in the part of the time that it fell into', () => {
  const rows = [0, 10, 5_000, 10_000].map((time) => ({ ...ROW, time }));
  rows.push({ ...ROW, time: 10_000, arm: 'off', cost: undefined as never });
  const { buckets, start, end } = addUp(rows);
  type Bucket = { kept: number; saved: number; spent: number; low: number };
  const sum = (part: (bucket: Bucket) => number) =>
    buckets.reduce((total: number, one: Bucket) => total + part(one), 0);
  expect([start, end, buckets.length]).toEqual([0, 10_000, 48]);
  expect(sum(({ kept }) => kept)).toBe(4 * 500 + 20_000);
  expect(sum(({ saved }) => saved)).toBe(4 * 19_500);
  expect(sum(({ spent }) => spent)).toBeCloseTo(0.08);
  expect([buckets[0].saved, buckets[23].saved, buckets[47].saved]).toEqual([39_000, 19_500, 19_500]);
});
