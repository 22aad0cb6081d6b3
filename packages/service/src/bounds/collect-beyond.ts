import { setFlagsFromString } from 'node:v8';
import { findCollector } from './collector.ts';
import { HeapPressure } from './heap-pressure.ts';
import { usedBytes } from './used-bytes.ts';
import { letYoungHeapGrow } from './young-heap.ts';

/** How often the heap is looked at, in milliseconds: it can grow by some 30 MiB meanwhile. A look takes microseconds. */
const LOOK_MS = 25;

/**
 * Collects the garbage of V8's heap, and the buffers behind it, in proportion to what lives, whenever both take more than `boundBytes` together; gives the way to end that. Costs
 * nothing below the bound.
 */
export function collectBeyond(boundBytes: number): () => void {
  const pressure = new HeapPressure(boundBytes);
  let isLean = false;
  const timer = setInterval(() => {
    if (pressure.see(usedBytes(), performance.now())) collect().then(tellCollected, tellCollected);
    if (pressure.isLean === isLean) return;
    isLean = pressure.isLean;
    spareMemory(isLean);
  }, LOOK_MS).unref();
  const tellCollected = () => {
    // V8 has shrunk it with the rest.
    letYoungHeapGrow();
    pressure.collected(usedBytes(), performance.now());
  };
  return () => {
    clearInterval(timer);
    if (isLean) spareMemory(false);
  };
}

/** The mode that browsers have for when memory is short: V8 collects when a third has grown, and gives pages back. Of the whole process, its worker threads included. */
function spareMemory(isLean: boolean): void {
  setFlagsFromString(isLean ? '--memory-saver-mode' : '--no-memory-saver-mode');
  letYoungHeapGrow();
}

/** Collects everything in a turn of its own. */
function collect(): Promise<void> {
  return findCollector()({ type: 'major', execution: 'async' });
}
