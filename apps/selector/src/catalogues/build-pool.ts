import { Worker } from 'node:worker_threads';
import { type Pause, unpackCatalogue } from '@winnow/ranking';
import { ClientGone, overloaded } from '@winnow/service';
import { SelectorError } from '../selector-error.ts';
import type { BuiltRequest } from './build-catalogue.ts';
import type { BuildOrder, BuildReply, BuildWorkerData, BuiltReply } from './build-messages.ts';
import { copyInTurns } from './copy-in-turns.ts';

export interface BuildPoolOptions {
  /** Maximum number of workers, at least 1. */
  readonly workers: number;
  readonly workerData: BuildWorkerData;
  /** Yields to other requests while a large body is copied. */
  readonly pause: Pause;
  /** Called with the cause when a worker ends unexpectedly. */
  readonly onWorkerLost: (error: unknown) => void;
  /** The program that the workers run. */
  readonly program?: URL;
}

/** A requested build. */
export interface PendingBuild {
  /** Rejects like `parseRequest`, or with `internal` if the worker ended. */
  readonly result: Promise<BuiltRequest>;
  /** Leaves the queue. A running build continues, because the next request may want its result. */
  cancel(): void;
}

/** The input of a build; the bytes stay here until a worker is free. */
export interface BuildInputBytes {
  readonly bytes: Uint8Array;
  readonly toolsStart: number | undefined;
}

interface Job {
  readonly order: BuildInputBytes;
  readonly resolve: (built: BuiltRequest) => void;
  readonly reject: (error: Error) => void;
}

const PROGRAM = new URL('./build-worker.ts', import.meta.url);

/**
 * Heap limits of a worker, in MB. A body that needs more ends only its own worker. The largest body with the
 * maximum number of values takes half.
 */
const [HEAP_MB, YOUNG_HEAP_MB] = [384, 24];

/** Number of workers to keep ready, at some 60 MiB each; more than two simultaneous builds are rare. */
const WARM_WORKERS = 2;

/**
 * Bodies above this size are built one at a time: each takes several times its bytes, in its worker and here.
 */
const LARGE_BYTES = 4 * 2 ** 20;

/**
 * Parses and indexes large requests on worker threads, in order of arrival. Very large requests wait for each
 * other and let others pass.
 *
 * Workers start on demand and stay. A worker that ends fails only its current build; the next build gets a
 * new worker.
 */
export class BuildPool {
  readonly #options: BuildPoolOptions;
  readonly #queue: Job[] = [];
  /** Every worker, with its job. */
  readonly #workers = new Map<Worker, Job | undefined>();
  /** The very large job that a worker is building, or whose catalogue is being taken over. */
  #large: Job | undefined;
  /** The one worker for very large jobs: its heap grows with them and stays large. */
  #workerOfLarge: Worker | undefined;
  #isClosed = false;

  constructor(options: BuildPoolOptions) {
    this.#options = options;
  }

  /** Number of builds that wait for a worker. */
  get waiting(): number {
    return this.#queue.length;
  }

  build(order: BuildInputBytes): PendingBuild {
    const { promise, resolve, reject } = Promise.withResolvers<BuiltRequest>();
    const job: Job = { order, resolve, reject };
    this.#queue.push(job);
    this.#assign();
    return { result: promise, cancel: () => this.#cancel(job) };
  }

  /** Starts up to two workers, so that the first large requests do not wait for their start. */
  warmUp(): void {
    while (this.#workers.size < Math.min(this.#options.workers, WARM_WORKERS)) this.#start();
  }

  /** Ends the workers and abandons unfinished builds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.reject(new ClientGone());
    await Promise.all([...this.#workers.keys()].map((worker) => worker.terminate()));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const place = this.#queue.findIndex((job) => !isLarge(job) || this.#takesLarge());
      const next = this.#queue[place];
      const worker = next && this.#workerFor(next);
      if (!worker) return;
      const [job] = this.#queue.splice(place, 1) as [Job];
      if (isLarge(job)) [this.#large, this.#workerOfLarge] = [job, worker];
      this.#workers.set(worker, job);
      this.#send(job, worker).catch(() => this.#takeBack(job, worker));
    }
  }

  /** Sends a private copy, which is transferred: a cloned body would exist three times on its way. */
  async #send({ order }: Job, worker: Worker): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(order.bytes.length);
    await copyInTurns(order.bytes, bytes, this.#options.pause);
    worker.postMessage({ ...order, bytes } satisfies BuildOrder, [bytes.buffer]);
  }

  /** Withdraws a job whose body could not be copied for lack of memory. */
  #takeBack(job: Job, worker: Worker): void {
    if (this.#workers.get(worker) === job) this.#workers.set(worker, undefined);
    job.reject(overloaded('There is not enough memory for the body.'));
    this.#end(job);
    this.#assign();
  }

  /** Releases the memory of a finished job. */
  #end(job: Job | undefined): void {
    if (job === undefined || this.#large !== job) return;
    this.#large = undefined;
    this.#assign();
  }

  #takesLarge(): boolean {
    const worker = this.#workerOfLarge;
    return this.#large === undefined && (worker === undefined || this.#workers.get(worker) === undefined);
  }

  #workerFor(job: Job): Worker | undefined {
    if (isLarge(job) && this.#workerOfLarge) return this.#workerOfLarge;
    for (const [worker, current] of this.#workers) {
      if (!current) return worker;
    }
    return this.#workers.size < this.#options.workers ? this.#start() : undefined;
  }

  #start(): Worker {
    // An explicit `execArgv` keeps flags of the parent, such as a test runner's, from the worker.
    const worker = new Worker(this.#options.program ?? PROGRAM, {
      workerData: this.#options.workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    let thrown: unknown;
    worker.on('message', (reply: BuildReply) => this.#settle(worker, reply));
    worker.on('error', (error) => {
      thrown = error;
    });
    worker.on('exit', (code) =>
      this.#lose(worker, thrown ?? new Error(`a build worker exited with ${code}`)),
    );
    worker.unref();
    this.#workers.set(worker, undefined);
    return worker;
  }

  #settle(worker: Worker, reply: BuildReply): void {
    const job = this.#workers.get(worker);
    this.#workers.set(worker, undefined);
    this.#assign();
    if (reply.kind === 'built') {
      const taken = this.#takeOver(reply).finally(() => this.#end(job));
      taken.then(job?.resolve, job?.reject);
    } else {
      this.#end(job);
      job?.reject(new SelectorError(reply.code, reply.message, { details: reply.details }));
    }
  }

  async #takeOver({ packed, kind: _, ...rest }: BuiltReply): Promise<BuiltRequest> {
    return { ...rest, catalogue: packed && unpackCatalogue(packed) };
  }

  #lose(worker: Worker, error: unknown): void {
    const job = this.#workers.get(worker);
    this.#workers.delete(worker);
    if (this.#workerOfLarge === worker) this.#workerOfLarge = undefined;
    if (this.#large === job) this.#large = undefined;
    job?.reject(new SelectorError('internal', 'The catalogue could not be built.', { cause: error }));
    if (this.#isClosed) return;
    this.#options.onWorkerLost(error);
    this.#assign();
  }

  #cancel(job: Job): void {
    const place = this.#queue.indexOf(job);
    if (place < 0) return;
    this.#queue.splice(place, 1);
    job.reject(new ClientGone());
  }
}

function isLarge({ order }: Job): boolean {
  return order.bytes.length > LARGE_BYTES;
}
