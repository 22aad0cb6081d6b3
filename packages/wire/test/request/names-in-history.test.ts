import { expect, test } from 'vitest';
import { NamesInHistory } from '../../src/request/read-history.ts';

test('names count in the order of their first call, and results in the order of the latest', () => {
  const names = new NamesInHistory();
  names.call('b', 1);
  names.call('a', 2);
  names.call('b', 3);
  names.resultOf(1);
  names.resultOf(2);
  names.resultOf(3);
  names.resultOf(9);
  names.resultOf(9, 'named by its result');
  names.result('');
  const { calledNames, resultNames } = names.factsWith([]);
  expect([...calledNames]).toEqual(['b', 'a']);
  expect(resultNames).toEqual(['a', 'b', 'named by its result']);
});
