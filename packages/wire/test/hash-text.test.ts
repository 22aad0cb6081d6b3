import { expect, test } from 'vitest';
import { hashText } from '../src/turns/turn-keys.ts';

test('gives a text the same name forever, because names survive restarts', () => {
  // The first hash is in FIPS 180-2, appendix B.1, in hexadecimal.
  expect(hashText('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  expect(hashText('Grüezi 👋')).not.toBe(hashText('Grüezi'));
});
