import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePicks } from '../src/exchange/observe-exchange.ts';

const picks = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });

describe('comparePicks', () => {
  it.each([
    ['the same picks in the same order', 'abc', 'abc', { overlap: 1, jaccard: 1, rankCorrelation: 1 }],
    ['the same picks in the other order', 'abc', 'cba', { overlap: 1, jaccard: 1, rankCorrelation: -1 }],
    // One of three pairs is in the opposite order.
    ['a neighbour swapped', 'abc', 'acb', { overlap: 1, jaccard: 1, rankCorrelation: 1 / 3 }],
    ['two of three', 'abx', 'ayb', { overlap: 2 / 3, jaccard: 2 / 4, rankCorrelation: 1 }],
    ['one of three: no order to compare', 'axy', 'azw', { overlap: 1 / 3, jaccard: 1 / 5 }],
    ['lists of different lengths', 'ab', 'abcd', { overlap: 0.5, jaccard: 0.5, rankCorrelation: 1 }],
    ['nothing', 'ab', 'cd', { overlap: 0, jaccard: 0 }],
    ['an empty list and another', '', 'ab', { overlap: 0, jaccard: 0 }],
    ['two empty lists', '', '', { overlap: 1, jaccard: 1 }],
  ])('measures %s', (_, left, right, agreement) => {
    expect(comparePicks([...left], [...right])).toEqual(agreement);
  });

  it('is symmetric', () => {
    fc.assert(
      fc.property(picks, picks, (left, right) => {
        expect(comparePicks(left, right)).toEqual(comparePicks(right, left));
      }),
    );
  });

  it('keeps Jaccard at or below the overlap, and both at 1 only for the same picks', () => {
    fc.assert(
      fc.property(picks, picks, (left, right) => {
        const { overlap, jaccard } = comparePicks(left, right);
        expect(jaccard).toBeLessThanOrEqual(overlap);
        const isSame = left.length === right.length && left.every((name) => right.includes(name));
        expect([overlap === 1, jaccard === 1]).toEqual([isSame, isSame]);
      }),
    );
  });

  it('reverses its rank correlation with one of the lists', () => {
    fc.assert(
      fc.property(picks, picks, (left, right) => {
        const { rankCorrelation: forth } = comparePicks(left, right);
        const { rankCorrelation: back } = comparePicks(left, right.toReversed());
        expect(back === undefined ? undefined : -back + 0).toEqual(
          forth === undefined ? undefined : forth + 0,
        );
      }),
    );
  });
});
