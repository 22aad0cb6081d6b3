import { describe, expect, test } from 'vitest';
import { marksTable } from '../src/marks.ts';
import { billOf, ratesOf } from '../src/money/bill.ts';
import { MODES } from '../src/money/cell.ts';
import type { CellMeasurement } from '../src/money/measure-money.ts';
import { moneyMarks, moneyTable } from '../src/money/tables.ts';

const cell = { mode: MODES[0]!, tools: 100, system: 15_000, isWarm: true, cachedInput: 0.1 };
const bills = (bill: number, dearer = 0, muchDearer = 0) => ({ bill, dearer, muchDearer });
const measured = (changes: Partial<CellMeasurement>): CellMeasurement => ({
  cell,
  recordings: 'office',
  calls: 6,
  defer: bills(0.8),
  auto: bills(0.8),
  autoFirst: 0.8,
  autoDefers: true,
  estimated: 0.8,
  directParts: { requests: 6, read: 0.5, fresh: 0.3, output: 0.2 },
  deferParts: { requests: 7, read: 0.2, fresh: 0.4, output: 0.2 },
  ...changes,
});
const met = (...cells: CellMeasurement[]) => moneyMarks(cells).map(({ isMet }) => isMet);

test('a bill counts each kind of token at its price', () => {
  const usage = { inputTokens: 100, cacheReadTokens: 1_000, cacheWriteTokens: 10, outputTokens: 2 };
  const conversation = { usages: [usage, usage] };
  expect(billOf(conversation, ratesOf({ client: 'messages' }, 0.1))).toBeCloseTo(2 * (100 + 100 + 12.5 + 10));
});

describe('the marks', () => {
  test('are met by the cheaper way', () => {
    const passes = measured({ defer: bills(1.3), auto: bills(1), autoDefers: false });
    expect(met(measured({}), { ...passes, calls: 2 }).slice(0, 5)).toEqual(new Array(5).fill(true));
  });

  test('are not met by cells that were not measured', () => {
    expect(met()).toEqual(new Array(11).fill(undefined));
    expect(marksTable(moneyMarks([])).rows[0]).toEqual([
      'auto, share of the direct bill',
      'at most 1.00 in every cell',
      'no such cell',
      'not measured',
    ]);
  });

  test('are missed by a loss, by a saving that is left, and by many losers', () => {
    expect(met(measured({ auto: bills(1.01) }))[0]).toBe(false);
    const left = { auto: bills(1), autoDefers: false };
    expect(met(measured(left))[1]).toBe(false);
    expect(met(measured({ auto: bills(0.8, 0.3, 0.2) })).slice(2, 4)).toEqual([false, false]);
  });

  test.each([
    [100, 0.88],
    [200, 0.72],
    [500, 0.42],
  ])('limit what always deferring costs with %s tools', (tools, limit) => {
    const among = (bill: number, mode = MODES[0]!) =>
      moneyMarks([measured({ cell: { ...cell, mode, tools }, defer: bills(bill) })]).find(({ what }) =>
        what.startsWith(`always deferring, ${mode.name}, ${tools} tools`),
      )!;
    expect(among(limit)).toMatchObject({
      mark: `at most ${limit.toFixed(2)}`.concat(' in every cell'),
      isMet: true,
    });
    expect(among(limit + 0.01).isMet).toBe(false);
    expect(among(limit + 0.01, MODES[1]).isMet).toBe(false);
    // Recordings with few calls are not what the mark is for.
    expect(met(measured({ calls: 2, cell: { ...cell, tools }, defer: bills(0.99) })).slice(4)).toEqual(
      new Array(7).fill(undefined),
    );
  });

  test('compare with swapping where a cache saves nothing', () => {
    const uncached = { ...cell, cachedInput: 1 };
    const swap = measured({ cell: { ...uncached, mode: MODES[2]! }, defer: bills(0.5) });
    expect(met(measured({ cell: uncached, defer: bills(0.52) }), swap).at(-1)).toBe(true);
    expect(met(measured({ cell: uncached, defer: bills(0.53) }), swap).at(-1)).toBe(false);
    const elsewhere = { ...swap, recordings: 'shop' };
    expect(met(measured({ cell: uncached, defer: bills(0.53) }), elsewhere).at(-1)).toBeUndefined();
  });

  test('allow to leave a mean saving that many conversations pay for, and the table says so', () => {
    const uneven = measured({ defer: bills(0.9, 0.4), auto: bills(1), autoDefers: false });
    expect(met(uneven)[1]).toBeUndefined();
    expect(moneyTable([uneven]).rows[0]).toContain('passes (uneven)');
  });
});
