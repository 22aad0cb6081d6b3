import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { isPlainNumber } from '../../src/from-bytes/plain-number.ts';

const isPlain = (text: string) => isPlainNumber(Buffer.from(text), 0, text.length);

describe('plain numbers:', () => {
  test.each([
    '0',
    '7',
    '-7',
    '10',
    '123456789012345',
    '0.5',
    '-0.5',
    '99.99',
    '100.001',
    '0.000001',
    '12.0000001',
  ])('%s', (text) => {
    expect(isPlain(text)).toBe(true);
    expect(String(Number(text))).toBe(text);
  });
});

describe('numbers that are written in another way, or might be:', () => {
  const others = ['-0', '1.0', '0.50', '-0.0', '1e2', '1E2', '1.5e3', '0.0000001', '-0.0000001'];
  test.each([...others, '1234567890123456', '0.1234567890123456', '12345678901.234567'])('%s', (text) => {
    expect(isPlain(text)).toBe(false);
  });
});

test('every plain number is written just so by JavaScript, and of those without an exponent most are plain', () => {
  const random = createRandom(15);
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.pick('0001234567899'.split(''))).join('');
  const wrong: string[] = [];
  let plain = 0;
  for (let round = 0; round < 2_000; round++) {
    const whole = random.chance(0.5) ? '0' : `${random.between(1, 9)}${digits(random.below(9))}`;
    const text = `${random.pick(['', '-'])}${whole}${random.chance(0.8) ? `.${digits(random.between(1, 9))}` : ''}`;
    if (!isPlain(text)) continue;
    plain++;
    if (String(Number(text)) !== text) wrong.push(text);
  }
  expect(wrong).toEqual([]);
  expect(plain).toBeGreaterThan(1_000);
});
