import { expect, test } from 'vitest';
import { regexFault } from '../src/pattern/pattern.ts';

test.each([
  ['(', 'Unterminated group'],
  ['a)', "Unmatched ')'"],
  ['[z-a]', 'Range out of order in character class'],
  ['*a', 'Nothing to repeat'],
  ['\\', '\\ at end of pattern'],
])('says what is wrong with %j', (source, fault) => {
  expect(regexFault(source)).toBe(fault);
});

test.each([
  'weather|SF',
  '(?i)slack',
  'get_.*_data',
  '(?=a)b',
  '(a)\\1',
  '(?P<n>a)(?P=n)',
  `(${'a{9}'.repeat(90)}){30}`,
])('takes %j for well formed', (source) => {
  expect(regexFault(source)).toBeUndefined();
});
