import { describe, expect, test } from 'vitest';
// The page's modules without elements run anywhere.
// @ts-expect-error: the page is checked with the types of browsers, by a configuration of its own.
import { addUp, savedWords } from '../../src/page/client/page-chart.js';
// @ts-expect-error: see above.
import { COLUMNS, Rows, toCsv, toJson } from '../../src/page/client/page-rows.js';
import type { ExchangeRow, TimePoint } from '../../src/page/page.ts';

const ROW: ExchangeRow = {
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
  expected: undefined,
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
function hold(...all: Partial<ExchangeRow>[]) {
  const rows = new Rows();
  for (const [n, one] of all.entries()) rows.add({ ...ROW, n, id: `id-${n}`, ...one });
  return rows;
}
const idsOf = (rows: ExchangeRow[]) => rows.map(({ n }) => n);

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
  const points: TimePoint[] = addUp(rows);
  const sum = (part: (point: TimePoint) => number) => points.reduce((total, one) => total + part(one), 0);
  expect([points[0]!.start, points.at(-1)!.end, points.length]).toEqual([0, 10_001, 48]);
  expect(sum(({ kept }) => kept)).toBe(4 * 500 + 20_000);
  expect(sum(({ saved }) => saved)).toBe(4 * 19_500);
  expect(sum(({ high }) => high)).toBeCloseTo(0.5);
  expect([points[0]!.saved, points[23]!.saved, points[47]!.saved]).toEqual([39_000, 19_500, 19_500]);
});

test('a loss is never called saved', () => {
  expect(savedWords({ low: -0.04, high: 0.02 }, 'USD')).toBe('between $0.04 lost and $0.02 saved');
  expect(savedWords({ low: -0.04, high: -0.02 }, 'USD')).toBe('lost $0.02 to $0.04');
  expect(savedWords({ low: -0.04, high: -0.04 }, 'USD')).toBe('lost $0.04');
  expect(savedWords({ low: 0.02, high: 0.04 }, 'USD')).toBe('saved $0.02 to $0.04');
  expect(savedWords({ low: 0, high: 0 }, 'USD')).toBe('saved $0');
});

test('an exchange that was left alone names what deferring would free and cost', () => {
  const row = { ...ROW, deferred: 0, plan: 'few_savings', expected: { freedTokens: 16_000, bill: 1.08 } };
  expect(column('tools').text(row, 'USD')).toBe(
    '100, left alone: deferring 16,000 tokens of tools would cost about 8% more',
  );
});
