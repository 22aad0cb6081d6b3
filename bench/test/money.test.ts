import { describe, expect, test } from 'vitest';
import { billOf, ratesOf } from '../src/money/bill.ts';
import { MODES } from '../src/money/cell.ts';
import type { CellMeasurement } from '../src/money/measure-money.ts';
import { moneyMarks, moneyTable } from '../src/money/tables.ts';

const cell = { mode: MODES[0]!, tools: 100, system: 15_000, isWarm: true, cachedInput: 0.1 };
const bills = (bill: number, dearer = 0, muchDearer = 0) => ({ bill, dearer, muchDearer });
const measured = (changes: Partial<CellMeasurement>): CellMeasurement => ({
  cell,
  recordings: 'office',
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
    expect(met(measured({}), measured({ defer: bills(1.3), auto: bills(1), autoDefers: false }))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('are missed by a loss, by a saving that is left, and by many losers', () => {
    expect(met(measured({ auto: bills(1.01) }))[0]).toBe(false);
    const left = { auto: bills(1), autoDefers: false };
    expect(met(measured(left))[1]).toBe(false);
    expect(met(measured({ auto: bills(0.8, 0.3, 0.2) })).slice(2)).toEqual([false, false]);
  });

  test('allow to leave a mean saving that many conversations pay for, and the table says so', () => {
    const uneven = measured({ defer: bills(0.9, 0.4), auto: bills(1), autoDefers: false });
    expect(met(uneven)[1]).toBe(true);
    expect(moneyTable([uneven]).rows[0]).toContain('passes (uneven)');
  });
});
