import { expect, test } from 'vitest';
import { isoTime } from '../src/records/record-sink.ts';

test('a time is written as Date writes it, within one second and across seconds', () => {
  const times = [
    0, 7, 999, 1_000, 1_763_803_200_123, 1_763_803_200_124, 1_763_803_201_000, 1_763_803_200_999,
  ];
  for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
  expect(isoTime(1_763_803_200_045)).toBe('2025-11-22T09:20:00.045Z');
});

test('a time before the epoch, after the year 9999 or with a fraction is not an exception', () => {
  for (const time of [-1, -1_000, -62_198_755_200_000, 253_402_300_800_001, 12.9]) {
    expect(isoTime(time)).toBe(new Date(time).toISOString());
  }
});

test('an invalid time throws, and affects no other', () => {
  expect(isoTime(5_000)).toBe('1970-01-01T00:00:05.000Z');
  for (const time of [Number.NaN, 8.64e15 + 1_000]) expect(() => isoTime(time)).toThrow(RangeError);
  expect(isoTime(5_001)).toBe('1970-01-01T00:00:05.001Z');
});
