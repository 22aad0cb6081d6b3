import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type EmbedCall, type Embedder, EmbeddingError } from '../embedder.ts';
import { scriptsKnownBy, type TokenizerDescription } from './known-scripts.ts';
import { END, MODEL_FILE, type OnnxWorkerData, requireLibraries, TOKENIZER_FILE } from './text-model.ts';

/** Texts per call; a batch is no faster than its texts one by one. */
const BATCH = 8;

const PROGRAM = new URL('./onnx-worker.ts', import.meta.url);

/**
 * Opens a model in a folder, on its own thread. It processes one text at a time, those that searches wait for
 * first.
 *
 * @throws EmbeddingError `not_usable` if the folder has no model or the libraries are not installed.
 */
export function openOnnx(folder: string, options: { librariesFrom?: string }): Embedder {
  checkOnnx(folder, options);
  return new OnnxEmbedder({ folder: resolve(folder), librariesFrom: options.librariesFrom });
}

/** Checks a model without loading it. Throws like `openOnnx`. */
export function checkOnnx(folder: string, { librariesFrom }: { librariesFrom?: string }): void {
  for (const file of [MODEL_FILE, TOKENIZER_FILE]) {
    if (!existsSync(join(folder, file)))
      throw new EmbeddingError('not_usable', `${folder} has no file ${file}`);
  }
  requireLibraries(librariesFrom);
}

interface Job {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly settle: (vector: Float32Array) => void;
  readonly reject: (error: EmbeddingError) => void;
}

/** Reads the tokenizer once more, at the start: the thread that has it answers only one text at a time. */
function knownByModel(folder: string): (text: string) => boolean {
  try {
    const description: unknown = JSON.parse(readFileSync(join(folder, TOKENIZER_FILE), 'utf8'));
    return scriptsKnownBy((description ?? {}) as TokenizerDescription);
  } catch {
    // The thread reports a file that is not a tokenizer.
    return () => true;
  }
}

class OnnxEmbedder implements Embedder {
  readonly batchSize = BATCH;
  readonly knows: (text: string) => boolean;
  readonly #data: OnnxWorkerData;
  readonly #urgent: Job[] = [];
  readonly #patient: Job[] = [];
  #worker: Worker | undefined;
  #running: Job | undefined;
  #isClosed = false;

  constructor(data: OnnxWorkerData) {
    this.#data = data;
    this.knows = knownByModel(data.folder);
    this.#start();
  }

  async embed(texts: readonly string[], { signal, isUrgent }: EmbedCall): Promise<readonly Float32Array[]> {
    if (this.#isClosed) throw new EmbeddingError('model_lost', 'the model is closed');
    const queue = isUrgent ? this.#urgent : this.#patient;
    const vectors = texts.map((text) => {
      const { promise, resolve: settle, reject } = Promise.withResolvers<Float32Array>();
      const job: Job = { text, signal, settle, reject };
      queue.push(job);
      signal.addEventListener('abort', () => this.#leave(job), { once: true });
      return promise;
    });
    this.#next();
    return Promise.all(vectors);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(new EmbeddingError('model_lost', 'the model is closed'));
    if (worker === undefined) return;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    worker.once('exit', () => end());
    worker.ref();
    worker.postMessage(END);
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.#data });
    this.#worker = worker;
    // An idle model must not keep the process alive.
    worker.unref();
    let cause: unknown;
    worker.on('message', (vector: Float32Array) => {
      if (this.#worker !== worker) return;
      const job = this.#running;
      this.#running = undefined;
      worker.unref();
      job?.settle(vector);
      this.#next();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#failAll(new EmbeddingError('model_lost', undefined, { cause }));
    });
    return worker;
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#urgent.shift() ?? this.#patient.shift();
    if (job === undefined) return;
    const worker = this.#worker ?? this.#start();
    this.#running = job;
    worker.ref();
    worker.postMessage(job.text);
  }

  /**
   * Cancels a job. A waiting job leaves the queue; the thread finishes a running one, whose vector is dropped.
   * The thread must not be terminated in the meantime: the model's native code would end the process.
   */
  #leave(job: Job): void {
    for (const queue of [this.#urgent, this.#patient]) {
      const place = queue.indexOf(job);
      if (place >= 0) queue.splice(place, 1);
    }
    job.reject(new EmbeddingError('slow'));
  }

  #failAll(error: EmbeddingError): void {
    const jobs = [...(this.#running ? [this.#running] : []), ...this.#urgent, ...this.#patient];
    this.#running = undefined;
    this.#urgent.length = 0;
    this.#patient.length = 0;
    for (const job of jobs) job.reject(error);
  }
}
