import { expect, it } from 'vitest';
import { countJsonValues } from '../../src/index.ts';

const count = (text: string, limit?: number) => countJsonValues(Buffer.from(text), limit);

it.each([
  ['elements', '[1,2,3,4]', 4],
  ['members', '{"a":1,"b":2,"c":{}}', 4],
  ['lists within lists', '[[[[]]]]', 4],
  ['what never closes', '{"a":{"a":{"a":{', 4],
  ['nothing within texts', String.raw`["a,b,[{","\",\"[","\\",1]`, 4],
  ['nothing within a text that never ends', '["a,b,[{', 1],
])('counts %s', (_, text, expected) => {
  expect(count(text)).toBe(expected);
});

it('stops after the limit', () => {
  expect(count('[1,2,3,4]', 2)).toBe(3);
});
