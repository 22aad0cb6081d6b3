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

test('reads no arguments that are nested deeply or hold many values, and no more of a query than is searched for', () => {
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  expect(readQuery(`{"query":"send mail","more":${nested}}`)).toBe('');
  expect(readQuery(`{"query":"send mail","more":[${'0,'.repeat(300_000)}0]}`)).toBe('');
  expect(readQuery(JSON.stringify({ query: 'x'.repeat(100_000) }))).toBe('x'.repeat(8_192));
});
