import { parentPort, workerData } from 'node:worker_threads';
import { packCatalogue, RANKERS } from '@winnow/ranking';
import { buildFromBody } from './build-catalogue.ts';
import type { BuildOrder, BuildReport, BuildWorkerData } from './build-messages.ts';
import { SelectorError } from './selector-error.ts';

const { ranker: rankerName, maxTools } = workerData as BuildWorkerData;
const ranker = RANKERS[rankerName];
const port = parentPort!;

// What is not a refusal is a defect: it ends this worker, and the pool, which sees it end, starts another.
port.on('message', (order: BuildOrder) => {
  try {
    build(order);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { code, message, details } = error;
    port.postMessage({ kind: 'refused', code, message, details } satisfies BuildReport);
  }
});

function build({ bytes, toolsStart }: BuildOrder): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { catalogue, ...rest } = buildFromBody({ bytes: text, toolsStart, maxTools }, ranker, () =>
    performance.now(),
  );
  const moved = catalogue && packCatalogue(catalogue);
  const report: BuildReport = { kind: 'built', ...rest, packed: moved?.packed };
  port.postMessage(report, moved?.transfer ?? []);
}
