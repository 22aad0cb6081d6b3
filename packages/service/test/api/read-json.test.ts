import { expect, test } from 'vitest';
import { readingBytes } from '../../src/api/read-json.ts';

test('prices a body by its length and its values', () => {
  const text = Buffer.from(`"${'x'.repeat(1_000_000)}"`);
  const numbers = Buffer.from(`[${'1,'.repeat(500_000)}1]`);
  expect(readingBytes(text)).toBeLessThan(3.1e6);
  expect(readingBytes(numbers)).toBeGreaterThan(30e6);
});

test('prices a small body as if it were full of values', () => {
  expect(readingBytes(Buffer.from('[1,1,1]'))).toBe(7 * 19);
});
