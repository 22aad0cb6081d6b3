import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { boundHeap } from '../../src/bounds/bound-heap.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it.each([
  ['looks often where something may be collected', 96, 2],
  ['looks now and then where nothing ever is', 384, 1],
])('%s: a bound of %i MiB', (_, mebibytes, timers) => {
  const stop = boundHeap(mebibytes * 2 ** 20);
  expect(vi.getTimerCount()).toBe(timers);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
