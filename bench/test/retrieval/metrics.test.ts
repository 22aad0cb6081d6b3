import { describe, expect, test } from 'vitest';
import { hitAtOne, ndcgAt, recallAt, reciprocalRank, scoreRanking } from '../../src/retrieval/metrics.ts';

const ranked = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('ndcgAt', () => {
  test('is one when every wanted name leads', () => {
    expect(ndcgAt(10, ranked, new Set(['b', 'a']))).toBe(1);
  });

  test('discounts a hit by its rank', () => {
    // One hit at rank 3: (1 / log2 4) / (1 / log2 2) = 0.5.
    expect(ndcgAt(10, ranked, new Set(['c']))).toBe(0.5);
    // Hits at ranks 1 and 3 of two wanted: (1 + 0.5) / (1 + 0.63093) = 0.91972.
    expect(ndcgAt(10, ranked, new Set(['a', 'c']))).toBeCloseTo(0.91972, 5);
  });

  test('ignores hits after the cutoff and names that are nowhere', () => {
    expect(ndcgAt(5, ranked, new Set(['f']))).toBe(0);
    // 1 / (1 + 0.63093): the second wanted name is missing.
    expect(ndcgAt(5, ranked, new Set(['a', 'x']))).toBeCloseTo(0.61315, 5);
  });

  test('takes as ideal no more hits than the cutoff has room for', () => {
    expect(ndcgAt(5, ranked, new Set(['a', 'b', 'c', 'd', 'e', 'x', 'y']))).toBe(1);
  });

  test('is zero for an empty ranking', () => {
    expect(ndcgAt(10, [], new Set(['a']))).toBe(0);
  });
});

test('recall is the share of wanted names within the cutoff', () => {
  expect(recallAt(1, ranked, new Set(['a', 'c']))).toBe(0.5);
  expect(recallAt(5, ranked, new Set(['a', 'c', 'f', 'x']))).toBe(0.5);
  expect(recallAt(10, ranked, new Set(['f']))).toBe(1);
});

test('the reciprocal rank is that of the first wanted name, and zero without one', () => {
  expect(reciprocalRank(ranked, new Set(['d', 'e']))).toBe(0.25);
  expect(reciprocalRank(ranked, new Set(['x']))).toBe(0);
});

test('only the very first name is a hit at one', () => {
  expect(hitAtOne(ranked, new Set(['a']))).toBe(1);
  expect(hitAtOne(ranked, new Set(['b']))).toBe(0);
  expect(hitAtOne([], new Set(['a']))).toBe(0);
});

test('scores a ranking under every measure at once', () => {
  expect(scoreRanking(ranked, new Set(['c']))).toEqual({
    hit5: 1,
    recall1: 0,
    recall5: 1,
    recall10: 1,
    ndcg5: 0.5,
    ndcg10: 0.5,
    mrr: 1 / 3,
  });
});
