import { ByteBudget } from '@winnow/service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyCopy } from '../src/observe/kept-body.ts';

const MANY = 1_000_000;

const copyOf = (pieces: readonly Uint8Array[], { budget = new ByteBudget(MANY), limitBytes = MANY } = {}) => {
  const copy = new BodyCopy({ budget, limitBytes });
  for (const piece of pieces) copy.add(piece);
  return copy;
};

describe('BodyCopy', () => {
  it('copies every byte, at every split of the body', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 })), (pieces) => {
        expect(Buffer.from(copyOf(pieces).bytes()).equals(Buffer.concat(pieces))).toBe(true);
      }),
    );
  });

  it('owns its bytes, which survive changes to the pieces', () => {
    const piece = Buffer.from('abc');
    const copy = copyOf([piece]);
    piece.fill('x');
    expect(Buffer.from(copy.bytes()).toString()).toBe('abc');
  });

  it('accepts a body of exactly the limit, and gives up one that is a byte longer', () => {
    expect(copyOf([new Uint8Array(10_000)], { limitBytes: 10_000 }).isGivenUp).toBe(false);
    const longer = copyOf([new Uint8Array(10_000), new Uint8Array(1)], { limitBytes: 10_000 });
    expect(longer.isGivenUp).toBe(true);
    expect(longer.bytes()).toHaveLength(0);
  });

  it('gives up when the budget is exhausted, and returns its share', () => {
    const budget = new ByteBudget(10_000);
    const first = copyOf([new Uint8Array(6_000)], { budget });
    const second = copyOf([new Uint8Array(3_000), new Uint8Array(3_000)], { budget });
    expect([first.isGivenUp, second.isGivenUp]).toEqual([false, true]);
    expect(budget.take(4_001)).toBe(false);
    expect(budget.take(4_000)).toBe(true);
  });

  it('uses no more memory after giving up, and returns its share once', () => {
    const budget = new ByteBudget(10_000);
    const copy = copyOf([new Uint8Array(10_000)], { budget });
    copy.giveUp();
    copy.giveUp();
    copy.add(new Uint8Array(1));
    expect(copy.bytes()).toHaveLength(0);
    expect([budget.take(10_000), budget.take(1)]).toEqual([true, false]);
  });

  it('keeps its share of the budget after its bytes moved to another thread', () => {
    const budget = new ByteBudget(10_000);
    const copy = copyOf([new Uint8Array(10_000)], { budget });
    structuredClone(copy.bytes(), { transfer: [copy.bytes().buffer] });
    expect(budget.take(1)).toBe(false);
    copy.giveUp();
    expect(budget.take(10_000)).toBe(true);
  });
});
