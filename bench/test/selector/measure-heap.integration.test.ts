import { expect, test } from 'vitest';
import { measureHeap } from '../../src/selector/measure-heap.ts';

test('counts objects and typed arrays, and no garbage', async () => {
  // Large compared with the test runner’s own allocations meanwhile.
  const objects = await measureHeap(() => Array.from({ length: 1_000_000 }, (_, value) => ({ value })));
  expect(objects).toBeGreaterThan(12_000_000);
  expect(objects).toBeLessThan(100_000_000);

  const buffer = await measureHeap(() => new Float64Array(10_000_000));
  expect(buffer).toBeGreaterThan(75_000_000);
  expect(buffer).toBeLessThan(95_000_000);

  const nothing = await measureHeap(() => new Float64Array(10_000_000).length);
  expect(nothing).toBeLessThan(10_000_000);
});
