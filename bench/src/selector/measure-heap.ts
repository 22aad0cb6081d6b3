import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's collector: https://github.com/v8/v8/blob/main/src/extensions/gc-extension.h */
type Collector = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** The collector, without asking the person at the keyboard for `--expose-gc`. */
const collect = ((): Collector => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collector;
})();

/** Bytes that a value holds, typed arrays included: what the process uses with it less what it used before. */
export async function measureHeap(make: () => unknown): Promise<number> {
  // Once for what making it leaves behind for good: compiled code, caches of words.
  make();
  const before = await bytesInUse();
  const value = make();
  const after = await bytesInUse();
  // The value must outlive the second reading.
  return value === undefined ? 0 : after - before;
}

async function bytesInUse(): Promise<number> {
  // A turn of the event loop first: buffers are given back by callbacks.
  await new Promise((resolve) => setImmediate(resolve));
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
