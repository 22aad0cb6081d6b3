import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { everyInterval, memoryHere } from '@winnow/service';
import type { ProxyEffects } from './server.ts';

/**
 * Time for which a heap measurement is reused, in milliseconds: measuring costs as much as reading a small
 * request.
 */
const HEAP_SHARE_MS = 20;

/**
 * Returns the real clock, timers and randomness. `writeLog` writes log lines; `lostLines` returns the number
 * of lines lost so far.
 */
export function systemEffects(
  writeLog: (lines: string) => void,
  lostLines: () => number = () => 0,
): ProxyEffects {
  let heap = { share: 0, seenAt: Number.NEGATIVE_INFINITY };
  return {
    now: () => performance.now(),
    wallClock: () => Date.now(),
    makeId: () => randomUUID(),
    every: everyInterval,
    randomSecret: createSecretKey(randomBytes(32)),
    memory: memoryHere(),
    heapShare() {
      const seenAt = performance.now();
      if (seenAt - heap.seenAt >= HEAP_SHARE_MS) heap = { share: readHeapShare(), seenAt };
      return heap.share;
    },
    pause: () => nextTurn(),
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    lostLines,
    writeLog,
  };
}

function readHeapShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}
