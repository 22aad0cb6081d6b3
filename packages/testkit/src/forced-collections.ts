import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How often V8 collected its young generation because it was told to while `work` was done. */
export async function forcedCollections(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as readonly { detail: GcDetail }[]) {
      const isYoung = detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
      if (isYoung && (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) count += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  try {
    await work();
    // Entries are handed over in a turn of their own.
    await nextTurn();
    await nextTurn();
  } finally {
    observer.disconnect();
  }
  return count;
}

/** https://nodejs.org/api/perf_hooks.html#garbage-collection-gc-details */
interface GcDetail {
  readonly kind: number;
  readonly flags: number;
}
