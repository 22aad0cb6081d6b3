import { RE2JS } from 're2js';
import { describe, expect, inject, test } from 'vitest';
import { compileRegex } from '../src/pattern/compile-regex.ts';

test.each([
  ['get_.*_data', 'get_ _data'],
  ['database.*query|query.*database', 'database query query database'],
  ['(?i)slack', 'slack'],
  ['^get_(user|team)s?$', 'get_ user team s'],
  ['[Ss]lack', 'slack'],
  ['\\bpull request\\b', 'pull request'],
  ['database\\.query', 'database.query'],
  ['(?P<verb>get|list)_\\w+', 'get list _'],
  ['[a-z]+\\d{2,4}', ''],
  ['.*', ''],
])('the literal words of %s are "%s"', (source, words) => {
  expect(compileRegex(source)?.words.replace(/\s+/g, ' ')).toBe(words);
});

test.each([
  ['get_.*_data', ['_data']],
  ['database.*query|query.*database', ['database']],
  ['(create|update)_issue', ['_issue']],
  ['(create|update)x', ['create', 'update']],
  ['issues?', ['issue']],
  ['ab+c', ['ab']],
  ['a{2}bcd', ['bcd']],
  ['(?:slack)*mail', ['mail']],
  ['(?:slack)+', ['slack']],
  ['天', ['天']],
])('every match of %s holds one of %j', (source, required) => {
  expect(compileRegex(source)?.required?.source).toBe(required.join('|'));
});

test.each(['a', '.*', '[a-z]+', 'slack|\\d', '(slack)?', '(slack){0,3}', '\ud83d\ud83d'])(
  'there is no string worth looking for in %s',
  (source) => {
    expect(compileRegex(source)?.required).toBeUndefined();
  },
);

test('looking for required strings first never changes the answer', () => {
  const sources = [
    'ab?c',
    'a(bc|de)f',
    '(ab|cd)+ef?',
    'x{0}ab',
    'x{1}ab',
    'x{2,}ab',
    'a|bc',
    'ab|cd|ef',
    '(a|bc)(de|f)',
    '[Aa]b',
    '[ab]cd',
    '\\x61b',
    '\\141bc',
    'a\\.b',
    '(?i:ab)c',
    'a(?:)b',
    'a()b',
    '(ab)?cd',
    'ab*?cd',
    'a\\bb',
    '\\pLab',
    '\\p{Greek}?ab',
    '[[:alpha:]]ab',
    '[]a]bc',
    '[^]a]bc',
    'a{b',
    'a{,2}b',
    'a]b',
    'a}b',
    'ſs|K',
    'ss',
    'k.k',
    'ß+x?ab',
    '(?s).ab',
    '\\Aab',
    'ab\\z',
    '\\.\\*ab',
    '\\_ab',
    'ab\\/cd',
    '(?U)ab+',
    '\\n?ab',
    '(?P<x>ab)cd?',
  ];
  const texts: string[] = [];
  const alphabet = [
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
    'x',
    'A',
    'B',
    '.',
    '{',
    ',2}',
    '_',
    ']',
    '}',
    'ſ',
    'K',
    'ß',
    'ẞ',
    'k',
    's',
    '/',
    '\n',
    '*',
    'α',
  ];
  const count = inject('isExhaustive') ? 20_000 : 1_000;
  let state = 1;
  for (let index = 0; index < count; index += 1) {
    let text = '';
    for (let length = 0; length < 1 + (index % 7); length += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      text += alphabet[(state >>> 16) % alphabet.length];
    }
    texts.push(text);
  }
  let matches = 0;
  for (const source of sources) {
    const regex = compileRegex(source);
    if (regex === undefined) expect.fail(`${source} does not compile`);
    const reference = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    for (const text of texts) {
      const expected = reference.test(text);
      if (expected !== regex.test(text)) expect.fail(`${source} on ${JSON.stringify(text)}`);
      if (expected && regex.required !== undefined) {
        regex.required.lastIndex = 0;
        if (!regex.required.test(text)) expect.fail(`${source} lacks in ${JSON.stringify(text)}`);
        matches += 1;
      }
    }
  }
  expect(matches).toBeGreaterThan(count / 20);
});

test('folds case beyond ASCII as the filter does', () => {
  for (const [source, text] of [
    ['über', 'ÜBER'],
    ['σσ', 'ςΣ'],
    ['ss', 'ſſ'],
    ['kk', '\u212a\u212a'],
    ['ßx', 'ẞX'],
    ['дом', 'ДОМ'],
  ]) {
    const regex = compileRegex(source!)!;
    expect(regex.required?.source).toBe(source);
    expect(regex.test(text!)).toBe(true);
  }
});

describe('refuses what would be expensive:', () => {
  test.each([
    ['counted repetition of a counted repetition', '(\\w{30}){30}'],
    ['two long gaps', '.{1,999}.{1,999}'],
    ['a long gap', 'get.{0,200}user'],
    ['gaps that are long together', '.*a.{30}b.{40}c'],
    ['many classes in a row', `a${'[ab]'.repeat(110)}`],
    ['a long text a thousand times', `(${'abc[de]f'.repeat(50)}){1000}`],
    ['copies within copies', '(((((((a{2}){2}){2}){2}){2}){2}){2}){2}b.*'],
  ])('%s', (_, source) => {
    expect(compileRegex(source)).toBeUndefined();
  });

  test.each(['\\d{4}-\\d{2}-\\d{2}', 'create.{0,50}issue', '(\\w+\\s){1,5}mail', `${'ab|'.repeat(150)}b`])(
    'but not %s',
    (source) => {
      expect(compileRegex(source)).toBeDefined();
    },
  );
});

test('bears 512 opening brackets, escapes and quantifiers', () => {
  for (const piece of [
    '(',
    '[',
    '{',
    '\\',
    '|',
    '(?:',
    '*',
    '.*',
    '[^',
    '\\p{',
    '(?i)',
    'a{1',
    '\ud83d',
    '\u0000',
  ]) {
    const source = piece.repeat(Math.floor(512 / piece.length));
    expect(() => compileRegex(source)?.test('some text')).not.toThrow();
  }
});
