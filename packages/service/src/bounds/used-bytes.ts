import { getHeapStatistics } from 'node:v8';

/** What V8's heap and the buffers behind it take, garbage included, in bytes. */
export function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
