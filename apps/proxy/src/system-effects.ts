import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import type { ProxyEffects } from './server.ts';

/**
 * The real clock, timers and randomness. Log lines of one turn of the event loop are handed to `sink` together; `lostLines` tells how many
 * of them it could not write so far.
 */
export function systemEffects(
  sink: (lines: string) => void,
  lostLines: () => number = () => 0,
): ProxyEffects {
  let held = '';
  const flush = () => {
    sink(held);
    held = '';
  };
  return {
    now: () => performance.now(),
    wallClock: () => Date.now(),
    makeId: () => randomUUID(),
    every(intervalMs, callBack) {
      const timer = setInterval(callBack, intervalMs).unref();
      return () => clearInterval(timer);
    },
    randomSecret: createSecretKey(randomBytes(32)),
    heapShare() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return used / limit;
    },
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    lostLines,
    writeLog(lines) {
      if (held === '') setImmediate(flush);
      held += lines;
    },
  };
}
