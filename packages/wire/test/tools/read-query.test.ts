import { expect, test } from 'vitest';
import { readQuery } from '../../src/tools/hidden-names.ts';

test.each([
  ['{"query":"send mail"}', 'send mail'],
  ['{"query":"  spaced\\n"}', 'spaced'],
  [{ query: 'an object' }, 'an object'],
  ['{"query":"cut', ''],
  ['{"query":7}', ''],
  ['{"other":"x"}', ''],
  ['["query"]', ''],
  ['query', ''],
  ['', ''],
  [undefined, ''],
  [null, ''],
])('reads the query in %j', (given, query) => {
  expect(readQuery(given)).toBe(query);
});
