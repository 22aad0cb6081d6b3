import { expect, inject, test } from 'vitest';
import { memberText } from '../src/upstream/member-text.ts';

test.each([
  ['{"a":1,"tools":[ {"x" : 1.0} ],"b":2}', '[ {"x" : 1.0} ]'],
  ['{"tools":12345678901234567890}', '12345678901234567890'],
  ['{ "tools" : "a \\" , } b" }', '"a \\" , } b"'],
  ['{"tools":[1],"tools":[2]}', '[2]'],
  ['{"nested":{"tools":[1]},"tools":{"tools":[[]]}}', '{"tools":[[]]}'],
  ['{"t\\u006fols":null}', 'null'],
  ['{"tools":"tools","other":"tools"}', '"tools"'],
  ['{"nested":{"tools":[1]}}', undefined],
  ['{"a":"tools"}', undefined],
  ['{}', undefined],
])('the member "tools" of %s is %s', (text, expected) => {
  expect(memberText(text, 'tools')).toBe(expected);
});

test('a member of millions of characters is found', () => {
  const value = JSON.stringify('x"'.repeat(inject('isExhaustive') ? 5_000_000 : 1_000_000));
  expect(memberText(`{"a":${value},"tools":${value}}`, 'tools') === value).toBe(true);
});
