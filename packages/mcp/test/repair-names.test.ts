import { hash } from 'node:crypto';
import { isToolName } from '@winnow/registry';
import { expect, test } from 'vitest';
import { repairNames } from '../src/servers/take-over-list.ts';

const digits = (text: string) => hash('sha256', text).slice(0, 8);
const repaired = (...names: string[]) => Object.fromEntries(repairNames(names));

test('R50: names of the form stay, and other characters become _', () => {
  expect(repaired('find', 'a.b-c_D9', 'search files', 'größe', 'a/b:c', '🛠️')).toEqual({
    find: 'find',
    'a.b-c_D9': 'a.b-c_D9',
    'search files': 'search_files',
    größe: 'gr__e',
    'a/b:c': 'a_b_c',
    '🛠️': '__',
  });
});

test('R50: a name of more than 128 characters is cut, and ends with eight digits of its digest', () => {
  const [long, other] = ['x'.repeat(129), `${'x'.repeat(128)}y`];
  expect(repaired('x'.repeat(128))).toEqual({ ['x'.repeat(128)]: 'x'.repeat(128) });
  expect(repaired(long, other)).toEqual({
    [long]: `${'x'.repeat(119)}_${digits(long)}`,
    [other]: `${'x'.repeat(119)}_${digits(other)}`,
  });
});

test('R50: of names that come to the same, the first by code point keeps it, in whatever order they come', () => {
  const expected = { 'a b': 'a_b', 'a/b': `a_b_${digits('a/b')}`, a_b: `a_b_${digits('a_b')}` };
  expect(repaired('a_b', 'a/b', 'a b')).toEqual(expected);
  expect(repaired('a b', 'a_b', 'a/b')).toEqual(expected);
  // By code unit the second would come first.
  expect(repaired('\u{ff5e}', '\u{1f600}')).toEqual({
    '\u{ff5e}': '_',
    '\u{1f600}': `__${digits('\u{1f600}')}`,
  });
});

test('R50: digits that another tool has in its name lead to more digits', () => {
  const taken = `a_b_${digits('a_b')}`;
  const names = repaired('a b', 'a_b', taken);
  expect(names[taken]).toBe(taken);
  expect(names.a_b).toBe(`a_b_${hash('sha256', 'a_b').slice(0, 16)}`);
});

test('R50: any names become valid and unique', () => {
  const names = Array.from(
    { length: 2_000 },
    (_, n) => `${'!?# ÄÖ'[n % 6]}${n % 50}${'_ -'[n % 3]}${'z'.repeat(n % 140)}`,
  );
  const own = [...new Set(names)];
  const stored = [...repairNames(own).values()];
  expect(stored.every(isToolName)).toBe(true);
  expect(new Set(stored).size).toBe(own.length);
});
