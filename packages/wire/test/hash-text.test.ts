import { expect, test } from 'vitest';
import { hashText } from '../src/hash-text.ts';

test.each([
  ['', 'wvjl67o803'],
  ['a', '262p94epp1d'],
  ['b', '2dic9ba9q67'],
  ['Grüezi 👋', '1o7q8k4nqyv'],
])('names %j the same for ever: names are kept over restarts', (text, name) => {
  expect(hashText(text)).toBe(name);
});

test('gives other texts other names, however alike they are', () => {
  const texts = Array.from({ length: 20_000 }, (_, number) => `text ${number}`);
  expect(new Set([...texts, ...texts.map((text) => `${text} `)].map(hashText)).size).toBe(40_000);
});
