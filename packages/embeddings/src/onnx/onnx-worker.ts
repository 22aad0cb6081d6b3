import { parentPort, workerData } from 'node:worker_threads';
import { END, loadTextModel, type OnnxWorkerData } from './text-model.ts';

// A failure here ends the thread, which the embedder reports to its callers.
const { folder, librariesFrom } = workerData as OnnxWorkerData;
const model = await loadTextModel(folder, librariesFrom);
const port = parentPort!;
let last = Promise.resolve();
port.on('message', (message: string | typeof END) => {
  last = last.then(() => (message === END ? port.close() : answer(message)));
});

async function answer(text: string): Promise<void> {
  const vector = await model.embed(text);
  port.postMessage(vector, [vector.buffer as ArrayBuffer]);
}
