import { expect, test } from 'vitest';
import { hashText } from '../src/hash-text.ts';

test('names a text the same for ever: names are kept over restarts', () => {
  expect(hashText('')).toBe(hashText(''));
  expect([hashText(''), hashText('a'), hashText('b'), hashText('Grüezi 👋')]).toMatchInlineSnapshot(`
    [
      "wvjl67o803",
      "262p94epp1d",
      "2dic9ba9q67",
      "1o7q8k4nqyv",
    ]
  `);
});

test('gives other texts other names, however alike they are', () => {
  const texts = Array.from({ length: 20_000 }, (_, number) => `text ${number}`);
  expect(new Set([...texts, ...texts.map((text) => `${text} `)].map(hashText)).size).toBe(40_000);
});
