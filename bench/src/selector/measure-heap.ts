import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The collector, without asking the person at the keyboard for `--expose-gc`. */
const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Bytes that a value holds, typed arrays included: what the process uses with it less what it used before. */
export function measureHeap(make: () => unknown): number {
  const before = bytesInUse();
  const value = make();
  const after = bytesInUse();
  // The value must outlive the second reading.
  return value === undefined ? 0 : after - before;
}

function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
