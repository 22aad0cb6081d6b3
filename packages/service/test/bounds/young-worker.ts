/** Makes 128 MiB of garbage where the young generation may not grow, and says how often that was collected. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { parentPort } from 'node:worker_threads';

setFlagsFromString('--semi-space-growth-factor=1');
let collections = 0;
const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as unknown as { detail: { kind: number } }[])
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) collections++;
});
observer.observe({ entryTypes: ['gc'] });

const ROUNDS = 128;
const OBJECTS = 1 << 15;
const latest: object[] = [];
for (let round = 0; round < ROUNDS; round++) {
  // Some 32 bytes each.
  for (let object = 0; object < OBJECTS; object++) latest[object % 8] = { object };
  await setImmediate();
}
parentPort!.postMessage(collections);
