import { expect, it } from 'vitest';
import { RequestMemory } from '../src/client/request-memory.ts';

it('gives requests no more than there is, and takes back what they held', () => {
  const memory = new RequestMemory({ maxBytes: 10, heapShare: () => 0 });
  const [first, second] = [memory.open(), memory.open()];
  expect(first.take(6)).toBe(true);
  expect(second.take(5)).toBe(false);
  expect(second.take(4)).toBe(true);
  first.release();
  first.release();
  expect(second.take(7)).toBe(false);
  expect(second.take(6)).toBe(true);
});

it('has no heap for another request when most of it is used', () => {
  let share = 0.69;
  const memory = new RequestMemory({ maxBytes: 0, heapShare: () => share });
  expect(memory.hasHeap).toBe(true);
  share = 0.7;
  expect(memory.hasHeap).toBe(false);
});
