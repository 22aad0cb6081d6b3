import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { startYoungHeapsWith } from '../../src/bounds/young-heap.ts';

const PROGRAM = new URL('young-worker.ts', import.meta.url);

/** Collections of the young generation in a thread that makes garbage while the process holds the young generation where it is. */
function collections(): Promise<number> {
  const worker = new Worker(PROGRAM, { resourceLimits: { maxYoungGenerationSizeMb: 24 } });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.once('message', resolve).once('error', reject);
  return promise;
}

test('a thread whose young generation starts with its full size collects it far less often', async () => {
  const few = await collections();
  startYoungHeapsWith(8);
  expect(few / (await collections())).toBeGreaterThan(3);
});
