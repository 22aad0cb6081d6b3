import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countReceived } from '../../src/bounds/received-buffers.ts';

/** Receives four gibibytes in bodies of one mebibyte, eight of which are held at a time, and says how often V8 collected everything for it. */
const isCounted = process.argv[2] === 'counted';
let collections = 0;
const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as unknown as readonly { detail: { kind: number } }[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }
});
observer.observe({ entryTypes: ['gc'] });
const held: Buffer[][] = [];
for (let body = 0; body < 4096; body += 1) {
  const pieces: Buffer[] = [];
  for (let size = 2 ** 16; size <= 2 ** 20; size += 2 ** 16) {
    pieces.push(Buffer.allocUnsafeSlow(2 ** 16));
    if (isCounted) countReceived(2 ** 16, size);
  }
  held[body % 8] = pieces;
  await nextTurn();
}
await nextTurn();
process.stdout.write(JSON.stringify({ collections }));
