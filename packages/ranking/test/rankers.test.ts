import { expect, test } from 'vitest';
import { RANKERS } from '../src/rankers/index.ts';
import { proveRankerContract } from './ranker-contract.ts';

for (const ranker of Object.values(RANKERS)) proveRankerContract(ranker);

test('every ranker has the name under which it is found', () => {
  expect(Object.entries(RANKERS).map(([name, ranker]) => [name, ranker.name])).toEqual([
    ['bm25', 'bm25'],
    ['wink', 'wink'],
    ['regex', 'regex'],
  ]);
});
