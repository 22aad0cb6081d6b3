import { collectAllGarbage } from './collect-garbage.ts';

/**
 * Returns the bytes that a value holds, including typed arrays: the process's memory with it less the memory
 * before it.
 */
export async function measureHeap(make: () => unknown): Promise<number> {
  // Once to create what stays for good: compiled code, caches of words.
  make();
  const before = await bytesInUse();
  const value = make();
  const after = await bytesInUse();
  // The value must outlive the second reading.
  return value === undefined ? 0 : after - before;
}

async function bytesInUse(): Promise<number> {
  // A turn of the event loop first: callbacks free buffers.
  await new Promise((resolve) => setImmediate(resolve));
  collectAllGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
