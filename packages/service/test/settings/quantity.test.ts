import { describe, expect, test } from 'vitest';
import {
  parseByteSize,
  parseDuration,
  printByteSize,
  printDuration,
} from '../../src/settings/setting-kinds.ts';

describe.each([
  [0, '0s'],
  [1, '1ms'],
  [0.5, '0.5ms'],
  [1_500, '1500ms'],
  [30_000, '30s'],
  [90_000, '90s'],
  [7_200_000, '2h'],
  [2_592_000_000, '30d'],
])('%d ms', (ms, text) => {
  test(`are ${text}, and read again`, () => {
    expect(printDuration(ms)).toBe(text);
    expect(parseDuration(text)).toBe(ms);
  });
});

describe.each([
  [0, '0B'],
  [1, '1B'],
  [1_536, '1536B'],
  [2_048, '2KiB'],
  [52_428_800, '50MiB'],
  [3_221_225_472, '3GiB'],
])('%d bytes', (bytes, text) => {
  test(`are ${text}, and read again`, () => {
    expect(printByteSize(bytes)).toBe(text);
    expect(parseByteSize(text)).toBe(bytes);
  });
});

test.each(['', '5', 's', '-1s', '1 s', '1w', '1MB', '1.5MiB'])('%j has no unit that is known', (text) => {
  expect([parseDuration(text), parseByteSize(text)]).toEqual([undefined, undefined]);
});
