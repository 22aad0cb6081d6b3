import { expect, it } from 'vitest';
import { HeapGrowth } from '../../src/bounds/heap-growth.ts';

/** Sizes are in MiB, times in seconds. */
function openGrowth() {
  const growth = new HeapGrowth();
  return (used: number, nowS: number) => growth.see(used * 2 ** 20, nowS * 1_000);
}

it('has a heap marked that has grown by 32 MiB over the least that it was', () => {
  const see = openGrowth();
  expect([see(60, 0), see(50, 1), see(81.9, 2), see(82, 3)]).toEqual([false, false, false, true]);
});

it('has it marked no sooner than two seconds later, and only when it has grown again', () => {
  const see = openGrowth();
  see(40, 0);
  expect(see(72, 1)).toBe(true);
  expect([see(41, 1.5), see(80, 2.9), see(80, 3)]).toEqual([false, false, true]);
  expect([see(80, 12), see(111, 13), see(112, 14)]).toEqual([false, false, true]);
});

it('leaves large heaps to V8', () => {
  const see = openGrowth();
  see(90, 0);
  expect([see(193, 1), see(192, 2)]).toEqual([false, true]);
});
