import { describe, expect, test } from 'vitest';
import { createRandom, xoshiro128 } from '../src/random.ts';

describe('xoshiro128**', () => {
  test('gives the numbers of the reference implementation', () => {
    const next = xoshiro128([1, 2, 3, 4]);
    // Printed by xoshiro128starstar.c from the same state.
    expect(Array.from({ length: 8 }, next)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849,
    ]);
  });
});

describe('random', () => {
  test('repeats itself for the same seed and differs for the next one', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed);
      return Array.from({ length: 5 }, () => random.below(1_000_000));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('reaches both ends of a range and nothing beyond', () => {
    const random = createRandom(1);
    const drawn = new Set(Array.from({ length: 200 }, () => random.between(3, 6)));
    expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
  });

  test('takes each item of a sample once, and all of them when more are asked for', () => {
    const random = createRandom(1);
    expect(new Set(random.sample(['a', 'b', 'c', 'd'], 3)).size).toBe(3);
    expect(random.sample(['a', 'b', 'c'], 9).sort()).toEqual(['a', 'b', 'c']);
  });

  test('refuses to pick from nothing', () => {
    expect(() => createRandom(1).pick([])).toThrow(RangeError);
  });
});
