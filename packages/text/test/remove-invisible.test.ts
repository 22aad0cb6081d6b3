import { expect, test } from 'vitest';
import { removeInvisible } from '../src/index.ts';

test('removes controls, marks of direction and tag characters, and nothing else', () => {
  expect(removeInvisible('a\u0000b\u001bc\u007fd\u009fe')).toBe('abcde');
  expect(removeInvisible('a\u202eb\u2069c\u200ed\u061ce')).toBe('abcde');
  expect(removeInvisible('go\u{e0069}\u{e0067}\u{e007f}')).toBe('go');
  const plain = 'Zeile\tmit\r\nUmbruch, עברית, 👩‍👩‍👧 und e\u0301';
  expect(removeInvisible(plain)).toBe(plain);
});
