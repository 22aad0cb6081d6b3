import { expect, test } from 'vitest';
import { graphemesOf } from '../../src/text/readable-text.ts';

test('characters are what readers see, however many code units they take', () => {
  expect([...graphemesOf('añ👩‍👩‍👧é')]).toEqual(['a', 'ñ', '👩‍👩‍👧', 'é']);
  expect([...graphemesOf('')]).toEqual([]);
});
