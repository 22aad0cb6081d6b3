import { describe, expect, test } from 'vitest';
import { readPattern } from '../src/pattern/pattern.ts';

const readingsOf = (pattern: string, searchType: 'auto' | 'keyword' | 'regex' = 'auto') =>
  readPattern(pattern, searchType).map((reading) => reading.kind);

describe('reads as a regular expression', () => {
  test.each([
    'get_.*_data',
    'database.*query|query.*database',
    '(?i)slack',
    '(?i)send.*(mail|message)',
    '^get_',
    '^(get|list)_.*',
    '^github\\.',
    'slack|discord',
    'create issue|open issue',
    'read/write|append',
    '天気|予報',
    '_issues$',
    '_issue(s)?$',
    '[Ss]lack',
    '[Gg]et_[Uu]ser',
    'gr[ae]y',
    '[a-z]+_id',
    '[^_]issue',
    '[a-zA-Z0-9_]+_list',
    '[\\w.-]list',
    'get[_-]user',
    '\\bissue\\b',
    '\\bpr\\b|pull request',
    '\\w+_issue',
    'issue\\d+',
    'database\\.query',
    '.*',
    '.*issue.*',
    '.+_list$',
    'github.*',
    'create.{0,20}issue',
    'web.?hook',
    'git(hub)?',
    'get_(user|team)s?',
    '(create|update)_issue',
    '(create|update) issue',
    '(?:create|update)_issue',
    '(?P<verb>get|list)_\\w+',
    '(?<verb>get|list)_\\w+',
    "user's|team's",
    'files in .* folder',
    '  ^get_  ',
    '^получить_',
    'отчёт$',
    'веб.?хук',
    '\\p{Cyrillic}+_report',
  ])('%s', (pattern) => {
    expect(readingsOf(pattern)).toEqual(['regex', 'keyword']);
  });
});

describe('reads as a glob', () => {
  test.each([
    '*_issue*',
    'get_*',
    '*_database_*',
    'получ?ть',
    'получить_*',
    '天?予報',
    '*',
    'mcp__github__*',
    'github.create_*',
    '*.csv',
    'foo*bar*',
    'weather/*',
    'v?_list*',
    '天気*',
    '**deploy**',
  ])('%s', (pattern) => {
    expect(readingsOf(pattern)[0]).toBe('glob');
    expect(readingsOf(pattern).at(-1)).toBe('keyword');
  });

  test.each(['colou?r', 'web_?hook', 'e-?mail'])(
    'and then as a regular expression, as models write optional letters: %s',
    (pattern) => {
      expect(readingsOf(pattern)).toEqual(['glob', 'regex', 'keyword']);
    },
  );
});

describe('reads as keywords', () => {
  test.each([
    'weather',
    'weather?',
    'What???',
    'Is it sunny?',
    'send an e-mail (with attachment)?',
    'open a pull request',
    'Which is better, e.g. (a|b)?',
    'e.g. (a|b)?',
    'Should I use get|list?',
    'slack | discord',
    'a || b',
    'a+b',
    '2+2',
    '1 * 2 * 3',
    'C++',
    'C++ and C#',
    'price > $5',
    '$5',
    '~$5.00',
    '50% off',
    'file[0]',
    'users[id]',
    'list[str]',
    '[WIP] fix the build',
    '[2020-12-31] meeting',
    '[x] done',
    'node.js',
    'find U.S. flights',
    'send mail.',
    'read/write',
    'https://example.com/a?b=c',
    'https://example.com/*',
    'C:\\dev\\bin',
    'open C:\\dev\\bin please',
    'foo()',
    'get_user(id)',
    'get_user?',
    'issues?',
    '(see note)',
    "what's up?",
    ':)',
    '*cough*, sorry.',
    'list *.csv files',
    '?',
    '???',
    '"exact phrase"',
    '{id}',
    '/users/{id}/posts',
    'issue{2}',
    'AND OR NOT',
    'create_branch',
    'x.y.z',
    '',
    ' ',
    '\u0000',
    '\ud83d',
  ])('%s', (pattern) => {
    expect(readingsOf(pattern)).toEqual(['keyword']);
  });
});

describe('reads as keywords what looks like a regular expression but is none that can be run:', () => {
  test.each([
    ['look-ahead', 'get_(?=user).*'],
    ['negative look-ahead', '(?!delete_).*'],
    ['look-behind', '(?<=get_)user.*'],
    ['a back-reference', '(get|list)_\\1.*'],
    ['an open group', '(get|list'],
    ['an open class', '[a-z.*'],
    ['a doubled quantifier', 'get_.**'],
    ['a quantifier of nothing', '|*'],
    ['an atomic group', '(?>get|list)_.*'],
    ['more than 512 characters', `${'a|'.repeat(256)}b`],
    ['an empty alternative next to a word', 'slack|'],
    ['nothing but optional words', '(mail|post)?'],
  ])('%s', (_, pattern) => {
    expect(readingsOf(pattern)).toEqual(['keyword']);
    expect(readingsOf(pattern, 'regex')).toEqual(['keyword']);
  });
});

test('takes 512 characters', () => {
  expect(readingsOf(`${'a|'.repeat(255)}bc`)).toEqual(['regex', 'keyword']);
});

test('takes every pattern that compiles for a regular expression when asked to', () => {
  for (const pattern of ['weather', 'a+b', 'Is it sunny?', 'file[0]', 'get_.*_data']) {
    expect(readingsOf(pattern, 'regex')).toEqual(['regex', 'keyword']);
  }
});

test('takes a name with wildcards for a glob also when asked for a regular expression, which comes second', () => {
  for (const pattern of ['get_*_data', 'get_*', 'web_?hook']) {
    expect(readingsOf(pattern, 'regex')).toEqual(['glob', 'regex', 'keyword']);
  }
  // Alone, it would be no regular expression at all.
  expect(readingsOf('*_issue', 'regex')).toEqual(['glob', 'keyword']);
  expect(readingsOf('get_*_data', 'keyword')).toEqual(['keyword']);
});

test.each(['', ' \n'])('takes a blank pattern for keywords, whatever is asked for', (blank) => {
  expect(readingsOf(blank, 'auto')).toEqual(['keyword']);
  expect(readingsOf(blank, 'regex')).toEqual(['keyword']);
});

test('takes nothing for a regular expression or a glob when asked for keywords', () => {
  for (const pattern of ['^get_', 'get_*', 'slack|discord'])
    expect(readingsOf(pattern, 'keyword')).toEqual(['keyword']);
});

test('reads hostile patterns in no time, however they end', () => {
  for (const piece of ['[_-', '[a-z', '\\\\', 'a:\\\\', '?', '*', '(?', '[^', '.', ' .', 'a|', ')']) {
    for (const length of [512, 16_384]) {
      const pattern = piece.repeat(length / piece.length);
      expect(readPattern(pattern, 'auto').at(-1)).toEqual({ kind: 'keyword' });
    }
  }
});

describe('a glob', () => {
  const globMatches = (glob: string, name: string) => {
    const reading = readPattern(glob, 'auto')[0]!;
    return reading.kind === 'glob' && reading.regex.test(name);
  };
  test.each([
    ['get_*', 'get_user', true],
    ['get_*', 'get_', true],
    ['get_*', 'forget_user', false],
    ['get_*', 'GET_USER', true],
    ['*_issue*', 'create_issue', true],
    ['*_issue*', 'create_issues_now', true],
    ['*_issue*', 'issue', false],
    ['*_issue', 'list_issues', false],
    ['v?_list', 'v1_list', true],
    ['v?_list', 'v10_list', false],
    ['v?_list', 'v_list', false],
    ['v?_list', 'v😀_list', true],
    ['a.b*', 'a.bc', true],
    ['a.b*', 'axbc', false],
    ['*', 'any\nthing', true],
    ['a**b', 'a-b', true],
  ])('%s on %j: %s', (glob, name, expected) => {
    expect(globMatches(glob, name)).toBe(expected);
  });
});
