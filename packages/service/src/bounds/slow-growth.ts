import { setFlagsFromString } from 'node:v8';
import { HeapGrowth } from './heap-growth.ts';
import { usedBytes } from './used-bytes.ts';

/** How often the heap is looked at, in milliseconds. */
const LOOK_MS = 500;
/** How long V8 is asked to begin, in milliseconds: it does when it next takes a page, or has collected what is young. */
const ASK_MS = 100;

/** Has V8 mark a small heap, in steps and mostly beside requests, whenever it has grown by 32 MiB, every two seconds at most; gives the way to end that. */
export function slowGrowth(): () => void {
  const growth = new HeapGrowth();
  growth.see(usedBytes(), performance.now());
  let asking: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (!growth.see(usedBytes(), performance.now())) return;
    markSoon(true);
    asking = setTimeout(markSoon, ASK_MS, false).unref();
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    clearTimeout(asking);
    markSoon(false);
  };
}

/** Whether V8 begins as soon as one percent of what it would wait for is there. */
function markSoon(isSoon: boolean): void {
  setFlagsFromString(`--incremental-marking-soft-trigger=${isSoon ? 1 : 0}`);
}
