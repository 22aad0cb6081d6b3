import { Worker } from 'node:worker_threads';
import { type Pause, type Ranker, unpackCatalogue } from '@winnow/ranking';
import { ClientGone, overloaded } from '@winnow/service';
import { SelectorError } from '../selector-error.ts';
import type { BuiltRequest } from './build-catalogue.ts';
import type { BuildOrder, BuildReply, BuildWorkerData, BuiltReply } from './build-messages.ts';
import { copyInTurns } from './copy-in-turns.ts';

/** How a pool builds. */
export interface BuildPoolOptions {
  /** Most workers at a time, at least 1. */
  readonly workers: number;
  /** The ranker of the workers; it can `unpack`. */
  readonly ranker: Ranker;
  readonly workerData: BuildWorkerData;
  /** Lets other requests have their turn while a large body is copied. */
  readonly pause: Pause;
  /** Told when a worker ended of itself, with what ended it. */
  readonly onWorkerLost: (error: unknown) => void;
  /** The program that the workers run. */
  readonly program?: URL;
}

/** A build that was asked for. */
export interface PendingBuild {
  /** Rejects with what `parseRequest` throws, and with `internal` when the worker ended. */
  readonly result: Promise<BuiltRequest>;
  /** Gives up the place in the queue. A build that runs goes on: its result is wanted by whoever asks next. */
  cancel(): void;
}

/** What is to be built; the bytes stay here until a worker has time for them. */
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

/** A body that would need more ends its worker, and no other build. The largest body of as many values as are read takes half of it. */
const [HEAP_MB, YOUNG_HEAP_MB] = [384, 24];

/** A worker takes some 60 MiB; that more than these build at once is rare. */
const WARM_WORKERS = 2;

/** Of builds that are larger than that one runs at a time: each takes several times its bytes, in its worker and here. */
const LARGE_BYTES = 4 * 2 ** 20;

/**
 * Parses and indexes large requests on worker threads, first come, first served; but what is very large waits for what else is very large, and lets others pass.
 *
 * Workers start when there is work for them and stay. One that ends, whatever the reason, fails the build that it had and
 * no other: the next one gets a new worker.
 */
export class BuildPool {
  readonly #options: BuildPoolOptions;
  readonly #queue: Job[] = [];
  /** Every worker with the job that it has. */
  readonly #workers = new Map<Worker, Job | undefined>();
  /** The very large job that a worker has, or whose catalogue is being taken over. */
  #large: Job | undefined;
  /** The one worker that gets what is very large: its heap grows with that, and keeps what it has grown to. */
  #workerOfLarge: Worker | undefined;
  #isClosed = false;

  constructor(options: BuildPoolOptions) {
    this.#options = options;
  }

  /** Builds that no worker has taken up yet. */
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

  /** Starts workers ahead of the first large requests, which then do not wait for their start; two at most. */
  warmUp(): void {
    while (this.#workers.size < Math.min(this.#options.workers, WARM_WORKERS)) this.#start();
  }

  /** Ends the workers. Builds that are not done are given up. */
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

  /** Sends a copy of its own that moves there: what is cloned exists three times on its way. */
  async #send({ order }: Job, worker: Worker): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(order.bytes.length);
    await copyInTurns(order.bytes, bytes, this.#options.pause);
    worker.postMessage({ ...order, bytes } satisfies BuildOrder, [bytes.buffer]);
  }

  /** There was no memory for the copy. */
  #takeBack(job: Job, worker: Worker): void {
    if (this.#workers.get(worker) === job) this.#workers.set(worker, undefined);
    job.reject(overloaded('There is no memory for the body.'));
    this.#end(job);
    this.#assign();
  }

  /** The job needs no memory here any more. */
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
    // `execArgv` is given so that flags of the parent, such as a test runner's, do not reach the worker.
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
    return { ...rest, catalogue: packed && unpackCatalogue(packed, this.#options.ranker) };
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
