import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { ProxyEffects } from './server.ts';

/** The real clock, timers and randomness. Log lines of one turn of the event loop are written together. */
export function systemEffects(sink: (lines: string) => void): ProxyEffects {
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
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    writeLog(lines) {
      if (held === '') setImmediate(flush);
      held += lines;
    },
  };
}
