import { expect, test } from 'vitest';
import { measureHeap } from '../../src/selector/measure-heap.ts';

test('counts objects and typed arrays, and nothing for what is not kept', async () => {
  const objects = await measureHeap(() => Array.from({ length: 50_000 }, (_, value) => ({ value })));
  expect(objects).toBeGreaterThan(50_000 * 12);
  expect(objects).toBeLessThan(50_000 * 100);

  const buffer = await measureHeap(() => new Float64Array(1_000_000));
  expect(buffer).toBeGreaterThan(7_900_000);
  expect(buffer).toBeLessThan(9_000_000);

  const nothing = await measureHeap(() => new Float64Array(1_000_000).length);
  expect(nothing).toBeLessThan(1_000_000);
});
