import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { JsonTape, TAPE_LIMITS } from '../../src/from-bytes/json-tape.ts';
import { mutate, seedTexts } from './mutate-tool.ts';

const tape = new JsonTape();
const read = (text: string) => tape.read(Buffer.from(text), 0, 1e6);

/** Whether the text is one value and white space around it. */
function accepts(text: string): boolean {
  const bytes = Buffer.from(text);
  const end = tape.read(bytes, 0, bytes.length);
  return end !== undefined && /^[ \t\r\n]*$/.test(bytes.toString('latin1', end));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('takes what JSON.parse takes, and nothing else:', () => {
  const numbers =
    '0 -0 1 -1 10 01 -01 00 - + +1 .5 0. 0.5 1.25e10 1E5 1e+5 1e-5 1e 1e+ 1.e5 e5 0e0 0x1 1_0 1e400 NaN -Infinity';
  test.each(numbers.split(' '))('the number %s', (text) => {
    expect(accepts(text)).toBe(isJson(text));
    expect(accepts(`[${text}]`)).toBe(isJson(text));
  });

  const strings = [
    '',
    'a',
    '\\"',
    '"',
    '\\',
    '\\\\',
    '\\/\\b\\f\\n\\r\\t',
    '\\u00e9',
    '\\uD83D',
    '\\ud83d\\ude00',
    '\\u12',
    '\\u12g4',
    '\u0001u0041',
    '\\U0041',
  ];
  const controls = [
    '\\x',
    "\\'",
    '\\a',
    '\n',
    '\t',
    '\0',
    '\u001f',
    '\u007f',
    '\u0080',
    '\u2028',
    'é',
    '漢',
    '😀',
    '\ufeff',
    'a\\',
    'a\\u',
  ];
  test.each([...strings, ...controls])('the string %j', (text) => {
    expect(accepts(`"${text}"`)).toBe(isJson(`"${text}"`));
    expect(accepts(`{"${text}":1}`)).toBe(isJson(`{"${text}":1}`));
  });

  const structures =
    '{} [] [[]] [{}] {"a":{}} {"a":[]} [1,2] {"a":1,"b":2} [ {,} [,] [1,] {"a":1,} {"a"} {"a":} {a:1} {1:1} [1 [1} {"a":1] {"a":1 ] } : , [1,,2] {"a"::1} {"a":1,,"b":2} [1:2] {"a",1} [][] {}{} [1]] {"a":1}} true false null nul truE nulll tru [true,false,null] [nul] [t] undefined " {" {"a [" [tru';
  test.each(structures.split(' '))('%s', (text) => {
    expect(accepts(text)).toBe(isJson(text));
  });

  test.each([
    ' \t\r\n[ 1 , { "a" : 2 } ] ',
    '[1\u00a0]',
    '\ufeff[]',
    '[\v1]',
    '[\f1]',
    ' ',
    '',
    '[\u0000]',
    '[1]\n',
  ])('white space in %j', (text) => {
    expect(accepts(text)).toBe(isJson(text));
  });
});

test('of tools with changes in them, takes those that JSON.parse takes', () => {
  const random = createRandom(8259);
  const texts = seedTexts(3);
  const wrong: string[] = [];
  let taken = 0;
  for (let round = 0; round < 2_000; round++) {
    const text = mutate(random, random.pick(texts)).toString();
    if (accepts(text) !== isJson(text)) wrong.push(text);
    else if (isJson(text)) taken++;
  }
  expect(wrong).toEqual([]);
  expect(taken).toBeGreaterThan(300);
});

test('every byte in a string, and behind a backslash, is taken where JSON.parse takes it', () => {
  const wrong: string[] = [];
  for (let code = 0; code < 256; code++) {
    for (const text of [
      `"${String.fromCharCode(code)}"`,
      `"\\${String.fromCharCode(code)}"`,
      `["a"${String.fromCharCode(code)}]`,
    ]) {
      if (accepts(text) !== isJson(text)) wrong.push(JSON.stringify(text));
    }
  }
  expect(wrong).toEqual([]);
});

test('text that is not UTF-8 is not taken, in values, keys and what nobody looks at', () => {
  for (const bytes of [[0x80], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
    const text = Buffer.from(bytes).toString('latin1');
    for (const json of [`"${text}"`, `{"${text}":1}`, `[0,{"a":["${text}"]}]`]) {
      expect(tape.read(Buffer.from(json, 'latin1'), 0, 1e6)).toBe(undefined);
    }
  }
});

test('gives the offset behind the value, whatever follows', () => {
  const bytes = Buffer.from('xx {"a":[1,"]}"]},{"b":2}');
  expect(tape.read(bytes, 2, bytes.length)).toBe(17);
  expect(tape.read(bytes, 18, bytes.length)).toBe(bytes.length);
});

test('a value that is cut off anywhere is not taken, and nothing behind the limit is read', () => {
  const text = Buffer.from(' {"a\\n":[-1.5e3,"\\u0041é",true,null],"b":{"c":false}}');
  for (let limit = 0; limit < text.length; limit++) {
    // The byte that the limit hides would end the value at once.
    expect(tape.read(text, 0, limit)).toBe(undefined);
    expect(tape.read(text.subarray(0, limit), 0, 1e6)).toBe(undefined);
  }
  expect(tape.read(text, 0, text.length)).toBe(text.length);
  for (const cut of ['true', 'null', '"a"', '"\\n"', '"\\u0041"', '-1', '1.5', '1e5']) {
    expect(tape.read(Buffer.from(cut), 0, cut.length - 1)).toBe(undefined);
  }
});

test('the parts stand in order, with what leads behind each', () => {
  expect(read('{"ab":[1,{}],"c":"d"}')).toBe(21);
  // 0 {, 1 "ab", 2 [, 3 1, 4 {}, 5 "c", 6 "d".
  expect([...tape.kinds.subarray(0, 7)]).toEqual([5, 6, 4, 2, 5, 6, 3]);
  expect([0, 2, 3, 4, 6].map((node) => tape.nexts[node])).toEqual([7, 5, 4, 5, 7]);
  expect([1, 3, 5, 6].map((node) => [tape.starts[node], tape.ends[node]])).toEqual([
    [2, 4],
    [7, 8],
    [14, 15],
    [18, 19],
  ]);
  expect(tape.hashes[1]).toBe(97 * 31 + 98);
});

test('strings and keys say what is out of the ordinary in them', () => {
  read('["a","\\n","\\u000a","é","é\\n\\u000a","\\\\u"]');
  expect([...tape.marks.subarray(1, 7)]).toEqual([0, 1, 2, 4, 7, 1]);
  read('["a","b","c","d"]');
  expect([...tape.marks.subarray(1, 5)]).toEqual([0, 0, 0, 0]);
  read('{"a":0,"\\n":0,"é\\u000a":0}');
  expect([1, 3, 5].map((node) => tape.marks[node])).toEqual([0, 1, 6]);
});

test('is given up on beyond its limits, and takes what is within them', () => {
  const { depth, nodes } = TAPE_LIMITS;
  expect(accepts('['.repeat(depth) + ']'.repeat(depth))).toBe(true);
  expect(accepts('['.repeat(depth + 1) + ']'.repeat(depth + 1))).toBe(false);
  expect(read('{"a":'.repeat(100_000))).toBe(undefined);
  // One node is kept for a key.
  expect(accepts(`[${'1,'.repeat(nodes - 3)}1]`)).toBe(true);
  expect(accepts(`[${'1,'.repeat(nodes - 1)}1]`)).toBe(false);
});
