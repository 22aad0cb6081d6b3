import { ByteBudget } from '@winnow/service';
import { describe, expect, it } from 'vitest';
import { HeldBody } from '../src/observe/kept-body.ts';

const bodyOf = (
  sizes: readonly number[],
  { budget = new ByteBudget(1_000_000), limitBytes = 10_000 } = {},
) => {
  const body = new HeldBody({ budget, limitBytes });
  for (const [number, size] of sizes.entries()) body.add(new Uint8Array(size).fill(number));
  return body;
};

describe('HeldBody', () => {
  it('has every piece in order', () => {
    expect(bodyOf([2, 0, 3]).pieces.map((piece) => [...piece])).toEqual([[0, 0], [], [2, 2, 2]]);
  });

  it('accepts a body of exactly the limit, and gives up one that is a byte longer', () => {
    expect(bodyOf([9_999, 1]).isGivenUp).toBe(false);
    const longer = bodyOf([9_999, 1, 1, 1]);
    expect([longer.isGivenUp, longer.pieces]).toEqual([true, []]);
  });

  it('gives up when the budget is exhausted, returns its share once, and uses no more memory', () => {
    const budget = new ByteBudget(10_000);
    const body = bodyOf([6_000, 6_000, 1], { budget, limitBytes: 20_000 });
    expect(body.isGivenUp).toBe(true);
    body.giveUp();
    expect([budget.take(10_000), budget.take(1)]).toEqual([true, false]);
  });

  it('counts the overhead of pieces: a million single bytes are not a small body', () => {
    const budget = new ByteBudget(1_000_000);
    const body = bodyOf(Array<number>(5_000).fill(1), { budget });
    expect(body.isGivenUp).toBe(true);
  });

  it('keeps its share of the budget until it is given up', () => {
    const budget = new ByteBudget(10_000);
    const body = bodyOf([9_000], { budget });
    expect(budget.take(1_000)).toBe(false);
    body.giveUp();
    expect(budget.take(10_000)).toBe(true);
  });
});
