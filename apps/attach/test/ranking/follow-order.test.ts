import { expect, test } from 'vitest';
import { mergeByPlace, scoresInOrder } from '../../src/catalogue/tool-catalogue.ts';

test.each([
  [['a', 'b', 'c'], [], 5, ['a', 'b', 'c']],
  [[], ['x', 'y'], 5, ['x', 'y']],
  [['a', 'b', 'c'], ['x'], 5, ['a', 'x', 'b', 'c']],
  [['a'], ['x', 'y', 'z'], 3, ['a', 'x', 'y']],
])('%j and %j, at most %i, are %j', (first, second, limit, merged) => {
  expect(mergeByPlace(first, second, limit)).toEqual(merged);
});

test('no score is below one after it, and none is above what words give somewhere behind', () => {
  const scores = (all: readonly number[]) =>
    scoresInOrder(all.map((score) => ({ score }))).map(({ score }) => score);
  expect(scores([0, 60, 20, 40, 0])).toEqual([60, 60, 40, 40, 0]);
  expect(scores([90, 50, 10])).toEqual([90, 50, 10]);
  expect(scores([])).toEqual([]);
});
