import { setTimeout as wait } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { boundHeap } from '../../src/bounds/bound-heap.ts';

/** Throws values away in turns of the event loop, with a bounded heap or a free one, and says how much of the heap was used at most, in bytes. */
const stop = process.argv[2] === 'bounded' ? boundHeap(96 * 2 ** 20) : () => {};
const text = JSON.stringify(Array.from({ length: 150_000 }, (_, number) => ({ number, text: `${number}` })));
const kept: unknown[] = [];
let most = 0;
for (let round = 0; round < 25; round++) {
  kept[round % 3] = JSON.parse(text);
  most = Math.max(most, getHeapStatistics().used_heap_size);
  await wait(30);
}
stop();
process.stdout.write(JSON.stringify({ most, collector: typeof globalThis.gc }));
