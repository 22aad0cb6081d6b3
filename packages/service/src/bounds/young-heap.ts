import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What the young generation may take before it grows no more, in bytes: what `--max-semi-space-size=16` leaves it. */
const MOST_BYTES = 32 * 2 ** 20;

let isHeld = false;

/**
 * Keeps V8's young generation from growing beyond some 64 MiB; to be called now and then. By itself it goes up to 128 MiB where a machine has much memory, which is a quarter of what the proxy
 * may take. V8 takes no bound for it once it runs, but it does ask for the factor by which to grow.
 */
export function holdYoungHeap(): void {
  if (isHeld) return;
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (young === undefined || young.space_size < MOST_BYTES) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  isHeld = true;
}

/**
 * Gives threads that start from now on a young generation that begins with so many MiB in each of its halves, and never has less; at most a third of their
 * `maxYoungGenerationSizeMb`. By itself it begins with 1 MiB, and shrinks to that again; and where `holdYoungHeap` holds it, which is for the whole process, it stays there: a thread that
 * makes tens of MiB of garbage at a time then collects every MiB.
 */
export function startYoungHeapsWith(mebibytes: number): void {
  setFlagsFromString(`--min-semi-space-size=${mebibytes}`);
}

/** Lets it grow again after V8 has shrunk it, until it is held anew. */
export function letYoungHeapGrow(): void {
  if (isHeld) setFlagsFromString('--semi-space-growth-factor=2');
  isHeld = false;
}
