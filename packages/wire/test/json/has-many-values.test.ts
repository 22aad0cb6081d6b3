import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import { hasManyValues, isReadable } from '../../src/json/scan-json.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';

describe('a response', () => {
  test.each([
    ['as deep as may be', '['.repeat(1_000) + ']'.repeat(1_000), true],
    ['deeper', '['.repeat(1_001) + ']'.repeat(1_001), false],
    ['deeper, of objects that never close', '{"a":'.repeat(1_001), false],
    ['with many adjacent lists', '[]'.repeat(10_000), true],
    ['with brackets in texts', JSON.stringify('[{'.repeat(10_000)), true],
    ['with too many values', `[${'1,'.repeat(250_000)}1]`, false],
  ])('%s is readable or not', (_, text, expected) => {
    expect(isReadable(text)).toBe(expected);
  });
});

describe('hasManyValues', () => {
  test.each([
    ['elements', '[1,2,3,4]', 4],
    ['members', '{"a":1,"b":2,"c":{}}', 4],
    ['arrays within arrays', '[[[[]]]]', 4],
    ['objects that never close', '{"a":{"a":{"a":{', 4],
  ])('counts %s', (_, text, count) => {
    expect(hasManyValues(text, count)).toBe(false);
    expect(hasManyValues(text, count - 1)).toBe(true);
  });

  test.each([
    ['commas and brackets', '["a,b,c,[[[{{{"]'],
    ['escaped quotes', '["\\",\\",\\\\\\",[[["]'],
    ['a backslash at its end', '["a\\\\",[]]'],
    ['no end', '["a,,,,,,,,'],
  ])('counts nothing in a string with %s', (_, text) => {
    expect(hasManyValues(text, 3)).toBe(false);
  });
});

describe.each([anthropicMessages, openaiChat])('a $name request', (format) => {
  /**
   * Returns the reason why a request is not read; never the view, which would make failure messages endless.
   */
  const refusalOf = (text: string) => {
    const reading = format.reading.readRequest(new BodyBytes([Buffer.from(text)]), {
      purpose: 'answer',
      searchToolName: 'search',
      path: '/',
      query: '',
    });
    return reading.ok ? undefined : reading.reason;
  };

  test('is not parsed when it holds more than a quarter of a million values', () => {
    const messages = (count: number) => `{"messages":[${'1,'.repeat(count)}1]}`;
    expect(refusalOf(messages(249_998))).toBeUndefined();
    expect(refusalOf(messages(249_999))).toBe('too_many_values');
  });

  test('is not parsed when it has more than a thousand members', () => {
    const members = (count: number) =>
      `{${Array.from({ length: count }, (_, at) => `"k${at}":1,`).join('')}"messages":[]}`;
    expect(refusalOf(members(999))).toBeUndefined();
    expect(refusalOf(members(1_000))).toBe('too_many_values');
  });

  test('is not parsed when it nests that deeply', () => {
    expect(refusalOf(`{"messages":${'['.repeat(600_000)}`)).toBe('too_many_values');
  });

  test('may otherwise have any length', () => {
    const content = '[1,2],'.repeat(1_000_000);
    expect(refusalOf(JSON.stringify({ messages: [{ role: 'user', content }] }))).toBeUndefined();
  });
});

test('a text of more than 8 MiB outside of strings holds too much, however few values it has', () => {
  const blanks = ' '.repeat(8 * 2 ** 20);
  expect(hasManyValues(`[1,${blanks}2]`, 500_000)).toBe(true);
  expect(hasManyValues(`[1,"${blanks}",2]`, 500_000)).toBe(false);
  expect(hasManyValues(`[${blanks.slice(100)}1]`, 500_000)).toBe(false);
});
