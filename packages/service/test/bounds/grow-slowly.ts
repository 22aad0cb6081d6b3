import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { boundHeap } from '../../src/bounds/bound-heap.ts';
import { findCollector } from '../../src/bounds/collector.ts';

/** Lets a heap of some 25 MiB grow by as much and more of garbage that is no longer young, and says how often V8 has marked it for that, with a bounded heap or a free one. */
const BOUND_BYTES = 512 * 2 ** 20;

const kept: object[] = [];
let made = 0;
const grow = () => {
  for (let number = 0; number < 25_000; number += 1) {
    kept[made % 125_000] = { number, list: [number, made] };
    made += 1;
  }
};
for (let round = 0; round < 5; round += 1) grow();
// From now on V8 has its idea of how much lives.
await findCollector()({ type: 'major', execution: 'async' });
let marked = 0;
const startedAt = performance.now();
const observer = new PerformanceObserver((list) => {
  for (const { detail, startTime } of list.getEntries() as unknown as readonly GcEntry[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR && startTime > startedAt) marked += 1;
  }
});
observer.observe({ entryTypes: ['gc'] });
const stop = process.argv[2] === 'bounded' ? boundHeap(BOUND_BYTES) : () => {};
for (let round = 0; round < 24; round += 1) {
  await wait(60);
  grow();
}
stop();
process.stdout.write(JSON.stringify({ marked }));

interface GcEntry {
  readonly detail: { readonly kind: number };
  readonly startTime: number;
}
