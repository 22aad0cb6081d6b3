import { describe, expect, test } from 'vitest';
import { InnerCallScan } from '../../src/bridge/inner-call.ts';

const TEXTS = [
  '{"name":"weather_get","arguments":{"city":"Zürich"}}',
  ' { "arguments" : {"a":"}{\\"", "b": [1, {"name": "no"}]} , "name" : "mail\\u005fsend" } \n',
  '{"name":"a","arguments":"{\\"b\\":1}"}',
  '{"name":"a","arguments":null}',
  '{"name":"a","arguments": -1.5e3 ,"more":[{}]}',
  '{"name":"a","city":"x"}',
  '{"name":"first","name":"second","arguments":{"n":1},"arguments":{"n":2}}',
  '{"\\u006eame":"a","arguments":{}}',
  '{}',
  '["name"]',
  '{"name":"cut',
  '{"name":"cut","arguments":{"city":"Zü',
  '{"name":"","arguments":{}}',
  '{"name":7,"arguments":{}}',
];

function scanned(pieces: readonly string[]) {
  const scan = new InnerCallScan();
  for (const piece of pieces) scan.push(piece);
  const { name, value, hasOthers, isComplete, isMalformed } = scan;
  const text = pieces.join('');
  return { name, hasOthers, isComplete, isMalformed, value: value && text.slice(value.start, value.end) };
}

describe('InnerCallScan', () => {
  test.each([
    [0, 'weather_get', '{"city":"Zürich"}', false, true],
    [1, 'mail_send', '{"a":"}{\\"", "b": [1, {"name": "no"}]}', false, true],
    [2, 'a', '"{\\"b\\":1}"', false, true],
    [3, 'a', 'null', false, true],
    [4, 'a', '-1.5e3', true, true],
    [5, 'a', undefined, true, true],
    [6, 'first', '{"n":1}', false, true],
    [7, 'a', '{}', false, true],
    [8, undefined, undefined, false, true],
    [9, undefined, undefined, false, false],
    [10, undefined, undefined, false, false],
    [11, 'cut', '{"city":"Zü', false, false],
    [12, undefined, '{}', false, true],
    [13, undefined, '{}', false, true],
  ] as const)('reads text %i', (index, name, value, hasOthers, isComplete) => {
    expect(scanned([TEXTS[index]!])).toEqual({
      name,
      value,
      hasOthers,
      isComplete,
      isMalformed: TEXTS[index] === '["name"]',
    });
  });

  test.each(TEXTS)('reads the same wherever the text is cut: %s', (text) => {
    const whole = scanned([text]);
    for (let at = 1; at < text.length; at += 1) {
      expect(scanned([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(whole);
    }
    expect(scanned([...text])).toEqual(whole);
  });

  test('does not read a name of any length', () => {
    expect(scanned([`{"name":"${'x'.repeat(5_000)}","arguments":{}}`])).toMatchObject({
      name: undefined,
      isComplete: true,
    });
  });
});
