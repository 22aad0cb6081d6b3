import { parentPort, workerData } from 'node:worker_threads';
import { loadTextModel } from './text-model.ts';

/** Start data of the worker. */
export interface OnnxWorkerData {
  readonly folder: string;
  readonly librariesFrom: string | undefined;
}

// A failure here ends the thread, which the embedder reports to its callers.
const { folder, librariesFrom } = workerData as OnnxWorkerData;
const model = await loadTextModel(folder, librariesFrom);
const port = parentPort!;
port.on('message', async (text: string) => {
  const vector = await model.embed(text);
  port.postMessage(vector, [vector.buffer as ArrayBuffer]);
});
