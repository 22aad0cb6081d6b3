import { expect, test } from 'vitest';
import {
  changesTo,
  memberOf,
  memberTexts,
  withElements,
  withMember,
  withMembers,
  withoutMembers,
} from '../../src/json/json-members.ts';

const TEXT = '\uFEFF { "a" : [1, {"b": 2}], "c": "x", "a": [ 3 ,"four"] } ';

test('a member is its original text, the last one of its key', () => {
  expect(memberOf(TEXT, 'c')).toBe('"x"');
  expect(memberOf(TEXT, 'a')).toBe('[ 3 ,"four"]');
  expect(memberOf(TEXT, 'b')).toBeUndefined();
  expect(memberOf('[1]', 'a')).toBeUndefined();
});

test('elements of a list are their original texts; other values have none', () => {
  expect(memberTexts(TEXT, 'a')).toEqual(['3', '"four"']);
  expect(memberTexts(TEXT, 'c')).toEqual([]);
  expect(memberTexts(TEXT, 'b')).toEqual([]);
});

test('members are put in, put in place of others, and taken out; the rest stays byte for byte', () => {
  expect(withMembers('{ "a": 1, "b": 2 }', { a: '[]', b: undefined, c: 'null' })).toBe(
    '{ "a": [],"c":null }',
  );
  expect(withMembers(TEXT, {})).toBe(TEXT);
  expect(withMembers(TEXT, { gone: undefined })).toBe(TEXT);
  expect(withoutMembers('{"a":1,"b":2,"a":3}', ['a'])).toBe('{"b":2}');
});

test('a member is edited where it is', () => {
  expect(withMember(TEXT, 'c', (value) => `[${value}]`)).toBe(TEXT.replace('"x"', '["x"]'));
  expect(withMember(TEXT, 'b', () => 'never')).toBe(TEXT);
});

test('elements of a list are edited where they are; a list that loses some is written again', () => {
  const edit = (replaced: string | undefined) => (element: string) => (element === '3' ? replaced : element);
  expect(withElements(TEXT, 'a', edit('4'))).toBe(TEXT.replace('[ 3 ,', '[ 4 ,'));
  expect(withElements(TEXT, 'a', edit(undefined))).toBe(TEXT.replace('[ 3 ,"four"]', '["four"]'));
  for (const same of [withElements(TEXT, 'a', edit('3')), withElements(TEXT, 'c', edit(undefined))]) {
    expect(same).toBe(TEXT);
  }
  const within = `{"message":${TEXT.slice(1)}}`;
  expect(withElements(within, 'a', edit('4'), ['message'])).toBe(within.replace('[ 3 ,', '[ 4 ,'));
});

test('changes to an object are the members that differ', () => {
  expect(changesTo({ a: [1], b: 2 }, { a: [1], b: 3, c: null })).toEqual({ b: '3', c: 'null' });
});

test('values that are nested too deeply to compare stay', () => {
  const nested = () => JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  expect(changesTo({ a: nested(), b: 1 }, { a: nested(), b: 2 })).toEqual({ b: '2' });
});
