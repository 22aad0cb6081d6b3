import { expect, test } from 'vitest';
import { GatheredText } from '../src/gathered-text.ts';

test('holds texts of any length and script, in order, until they are taken', () => {
  const gathered = new GatheredText(8);
  const texts = ['a\n', 'Grüezi 👋\n', '', 'x'.repeat(100), '漢字\n'];
  for (const text of texts) gathered.add(text);
  const whole = texts.join('');
  expect(gathered.length).toBe(Buffer.byteLength(whole));
  expect(String(gathered)).toBe(whole);
  const taken = gathered.take();
  gathered.add('next');
  expect([taken.toString(), String(gathered), gathered.length]).toEqual([whole, 'next', 4]);
});
