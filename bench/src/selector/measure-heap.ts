import { collectAllGarbage } from './collect-garbage.ts';

/** Bytes that a value holds, typed arrays included: what the process uses with it less what it used before. */
export async function measureHeap(make: () => unknown): Promise<number> {
  // Once for what making it leaves behind for good: compiled code, caches of words.
  make();
  const before = await bytesInUse();
  const value = make();
  const after = await bytesInUse();
  // The value must outlive the second reading.
  return value === undefined ? 0 : after - before;
}

async function bytesInUse(): Promise<number> {
  // A turn of the event loop first: buffers are given back by callbacks.
  await new Promise((resolve) => setImmediate(resolve));
  collectAllGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
