import { describe, expect, test } from 'vitest';
import { NameIndex } from '../src/names/name-index.ts';
import { hashText } from '../src/text/hash-text.ts';

const NAMES = [
  'get_user',
  'get_user_by_id',
  'list-issues',
  'github.create_issue',
  'mcp__slack__post_message',
  'Send Mail',
  'weather/forecast',
  '天気を取得',
  'Über_Suche',
  '_private',
  'c++',
  '获取',
  'delete',
  '😀',
];
test('finds names whose first words have the same hash', () => {
  expect(hashText('an')).toBe(hashText('c0'));
  const index = new NameIndex(['an_item', 'c0_item', 'an_object']);
  expect(index.findIn('c0_item, an_object or an_item').positions).toEqual([1, 2, 0]);
  expect(index.findIn('c0_object').positions).toEqual([]);
});

describe.each([
  ['names', new NameIndex(NAMES)],
  ['names of a copy', new NameIndex(NAMES).copy(Uint32Array.from(NAMES.keys()))],
])('of %s', (_, index) => {
  const namesIn = (pattern: string) => index.findIn(pattern).positions.map((position) => NAMES[position]);

  test.each(NAMES)('finds %s where it is all of the pattern, in any case, with space around it', (name) => {
    expect(namesIn(name)).toEqual([name]);
    expect(namesIn(`  ${name.toUpperCase()}\n`)).toEqual([name]);
  });

  test.each([
    ['please call get_user for me', ['get_user']],
    ['GET_USER', ['get_user']],
    ['get_user()', ['get_user']],
    ['`get_user`, "list-issues"; (delete)', ['get_user', 'list-issues', 'delete']],
    ['get_user.', ['get_user']],
    ['Use get_user_by_id now', ['get_user_by_id']],
    ['get_user or get_user_by_id', ['get_user', 'get_user_by_id']],
    ['list-issues,get_user', ['list-issues', 'get_user']],
    ['^get_user$|delete', ['get_user', 'delete']],
    ['get_user get_user', ['get_user']],
    ['how do I send mail to Bob?', ['Send Mail']],
    ['github.create_issue', ['github.create_issue']],
    ['call mcp__slack__post_message', ['mcp__slack__post_message']],
    ['weather/forecast for Rome', ['weather/forecast']],
    ['「天気を取得」を使う', ['天気を取得']],
    ['die über_suche bitte', ['Über_Suche']],
    ['the _private one', ['_private']],
    ['written in c++ and more', ['c++']],
    ['ask 😀 now', ['😀']],
    ['delete - and nothing else', ['delete']],
    ['delete-', ['delete']],
  ])('in "%s" stand %j', (pattern, names) => {
    expect(namesIn(pattern)).toEqual(names);
  });

  test.each([
    ['forget_user'],
    ['get_users'],
    ['get_user2'],
    ['_get_user'],
    ['get_user_'],
    ['get-user'],
    ['get user'],
    ['soft-delete'],
    ['delete-all'],
    ['undelete'],
    ['deleteé'],
    ['𝒂delete'],
    ['请获取一个'],
    ['xc++'],
    ['do_private'],
    [''],
    ['   '],
  ])('no name stands whole in "%s"', (pattern) => {
    expect(namesIn(pattern)).toEqual([]);
  });

  describe('select:', () => {
    test('asks for the names in it and nothing else', () => {
      expect(index.findIn('select:delete,get_user')).toEqual({ positions: [12, 0], isWholeAnswer: true });
      expect(index.findIn('Select: delete , unknown')).toEqual({ positions: [12], isWholeAnswer: true });
    });

    test('with unknown names alone asks for nothing', () => {
      expect(index.findIn('select:unknown')).toEqual({ positions: [], isWholeAnswer: false });
    });

    test('counts only at the start', () => {
      expect(index.findIn('please select:delete').isWholeAnswer).toBe(false);
    });
  });
});

test('of tools that differ in case alone finds both, the one spelled as in the pattern first', () => {
  const cased = new NameIndex(['getuser', 'getUser', 'GETUSER']);
  expect(cased.findIn('getUser').positions).toEqual([1, 0, 2]);
  expect(cased.findIn('use GETUSER').positions).toEqual([2, 0, 1]);
});

test('knows the positions of a name letter for letter', () => {
  const repeated = new NameIndex(['a', 'A', 'a', 'b', 'a']);
  expect(repeated.positionsOf('a')).toEqual([0, 2, 4]);
  expect(repeated.positionsOf('c')).toEqual([]);
});

describe('with positions that are not shown', () => {
  const names = new NameIndex(['get_user', 'get user by id', 'GET_USER', 'get_user']);
  const without = (...hidden: number[]) => ({
    has: (position: number) => !hidden.includes(position),
    compare: (left: number, right: number) => right - left,
  });

  test('looks for the next shorter name at their places', () => {
    const nested = new NameIndex(['get user by id', 'get user']);
    expect(nested.findIn('get user by id please').positions).toEqual([0]);
    expect(nested.findIn('get user by id please', without(0)).positions).toEqual([1]);
  });

  test('gives the others in the order of their places', () => {
    expect(names.positionsOf('get_user', without())).toEqual([3, 0]);
    expect(names.findIn('get_user', without(2)).positions).toEqual([3, 0]);
    expect(names.findIn('get_user', without(0, 3)).positions).toEqual([2]);
    expect(names.findIn('get_user', without(0, 2, 3)).positions).toEqual([]);
  });
});

test('never finds a blank name', () => {
  const blank = new NameIndex(['', ' ', '\n']);
  expect(blank.findIn('').positions).toEqual([]);
  expect(blank.findIn(' a ').positions).toEqual([]);
});

test('finds a name longer than 256 characters where it is all of the pattern', () => {
  const name = 'long_'.repeat(100);
  expect(new NameIndex([name]).findIn(name).positions).toEqual([0]);
});

test('finds names that are keys of every object', () => {
  const odd = new NameIndex(['__proto__', 'constructor', 'toString', '17']);
  expect(odd.findIn('constructor 17 __proto__').positions).toEqual([1, 3, 0]);
});

test('gives up looking, not the search, when every word begins hundreds of names', () => {
  const names = Array.from(
    { length: 250 },
    (_, length) => `a${' a'.repeat(length / 2)}${'!'.repeat(length % 2)}`,
  );
  const positions = new NameIndex(names).findIn('a b '.repeat(4_000)).positions;
  expect(positions).toContain(0);
});

test('keeps names that fold to the same in the order of arrival, also in a copy', () => {
  const names = new NameIndex(['getuser', 'get me', 'getUser', 'GETUSER', 'get me now']);
  names.add('alias', 1);
  expect(names.findIn('use getUser').positions).toEqual([2, 0, 3]);
  expect(names.findIn('get me now ok').positions).toEqual([4]);
  const copy = names.copy(Uint32Array.of(3, 2, 1));
  expect(copy.findIn('getuser').positions).toEqual([0, 1]);
  expect(copy.positionsOf('alias')).toEqual([2]);
});
