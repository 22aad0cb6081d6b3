import { parentPort, workerData } from 'node:worker_threads';
import { loadTextModel } from './text-model.ts';

/** What the worker is told at its start. */
export interface OnnxWorkerData {
  readonly folder: string;
  readonly librariesFrom: string | undefined;
}

// What fails here ends the thread, and whoever waits is told so by that.
const { folder, librariesFrom } = workerData as OnnxWorkerData;
const model = await loadTextModel(folder, librariesFrom);
const port = parentPort!;
port.on('message', async (text: string) => {
  const vector = await model.embed(text);
  port.postMessage(vector, [vector.buffer as ArrayBuffer]);
});
