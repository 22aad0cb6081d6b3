import { expect, test } from 'vitest';
import { removeInvisible } from '../../src/index.ts';

test('removes controls, marks of direction and tag characters, and nothing else', () => {
  expect(removeInvisible('a\u0000b\u001bc\u007fd\u009fe')).toBe('abcde');
  expect(removeInvisible('a\u202eb\u2069c\u200ed\u061ce')).toBe('abcde');
  expect(removeInvisible('go\u{e0069}\u{e0067}\u{e007f}')).toBe('go');
  const plain = 'Zeile\tmit\r\nUmbruch, עברית, 👩‍👩‍👧 und e\u0301';
  expect(removeInvisible(plain)).toBe(plain);
});

test.each([
  ['characters of width zero', 'a\u200bb\u200cc\u200dd\u2060e\ufefff'],
  ['invisible operators and old format marks', 'a\u2061b\u2064c\u206ad\u206fe\u2065f'],
  ['variation selectors', 'a\ufe00b\ufe0fc\u{e0100}d\u{e01ef}ef'],
  ['fillers of Hangul', 'a\u115fb\u1160c\u3164d\uffa0ef'],
  ['vowels of Khmer that are not written', 'a\u17b4b\u17b5cdef'],
  ['soft hyphens and joiners of graphemes', 'a\u00adb\u034fcdef'],
  ['annotations, and marks of shorthand and music', 'a\ufff9b\ufffac\ufffbd\u{1bca0}e\u{1d173}f'],
  ['selectors of Mongolian in other scripts', 'a\u180bb\u180ec\u180fdef'],
])('removes %s', (_, text) => {
  expect(removeInvisible(text)).toBe('abcdef');
});

test.each([
  ['a family with skin tones', '👩🏽\u200d👩🏿\u200d👧🏻'],
  ['a heart on fire, with its selector', '❤\ufe0f\u200d🔥'],
  ['signs as text and as emoji', '☎\ufe0e ☎\ufe0f'],
  ['a keycap', '1\ufe0f\u20e3 #\ufe0f\u20e3'],
  ['Persian with a non-joiner', 'می\u200cخواهم'],
  ['Hindi with joiners', 'क्\u200dष क्\u200cष'],
  ['Sinhala with a joiner', 'ශ්\u200dරී'],
  ['Malayalam with a joiner', 'ന്\u200dറെ'],
  ['Mongolian with selectors', '\u1820\u180b\u182d\u180e\u1820'],
])('leaves %s', (_, text) => {
  expect(removeInvisible(text)).toBe(text);
});

test('leaves one needed character of a row, or none, so that rows carry no text', () => {
  expect(removeInvisible('می\u200c\u200c\u200d\u200bخ')).toBe('میخ');
  expect(removeInvisible('❤\ufe0f\ufe0f\ufe0e')).toBe('❤\ufe0f');
  expect(removeInvisible('👩\u200d\u200d\u{e0061}👧')).toBe('👩👧');
  expect(removeInvisible('x\u{1f600}\u{e0101}\u{e0102}')).toBe('x\u{1f600}');
  expect(removeInvisible('\u1820\u180b\u180c\u180d\u180b')).toBe('\u1820\u180b');
});
