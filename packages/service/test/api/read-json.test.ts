import { expect, test } from 'vitest';
import { readingBytes, readJson } from '../../src/api/receive-json.ts';

test('prices a body by its length and its values', () => {
  const text = Buffer.from(`"${'x'.repeat(1_000_000)}"`);
  const numbers = Buffer.from(`[${'1,'.repeat(500_000)}1]`);
  expect(readingBytes(text, 1_000_000)).toBeLessThan(3.1e6);
  expect(readingBytes(numbers, 1_000_000)).toBeGreaterThan(30e6);
});

test('prices a small body as if it were full of values', () => {
  expect(readingBytes(Buffer.from('[1,1,1]'), 1_000_000)).toBe(7 * 19);
});

test('prices no more values than are parsed', () => {
  const numbers = Buffer.from(`[${'1,'.repeat(500_000)}1]`);
  expect(readingBytes(numbers, 1_000)).toBeLessThan(4e6);
});

test('parses up to its limit of values', () => {
  const list = (count: number) => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 10)));
  expect(readJson(list(1_000), 1_000)).toHaveLength(1_000);
  expect(() => readJson(list(1_001), 1_000)).toThrow('The body holds more than 1000 JSON values.');
});
