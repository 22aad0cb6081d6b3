import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { EmbedderEvent } from '../search/open-local-meaning.ts';
import type { ChangedSettings, ObservationReply, ObservationThreadData } from './observation-messages.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';

export interface ObservationThreadOptions {
  readonly data: ObservationThreadData;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Receives defects: those that the thread survived, and those that ended it. */
  readonly onDefect: (error: unknown) => void;
  /** Called once when the embedder of its searches fails, and once when it works again. */
  readonly onEmbedder?: (event: EmbedderEvent) => void;
  /** The program that the thread runs. */
  readonly program?: URL;
}

interface Job {
  readonly startedAt: number;
  readonly resolve: (observed: Observed | undefined) => void;
}

const PROGRAM = new URL('./observation-worker.ts', import.meta.url);

/** Heap limit of the thread, in MiB. A body that needs more ends the thread, not the process. */
const HEAP_MB = 1_024;

/** Delay before an ended thread is replaced, in milliseconds: continual restarts would cost too much. */
const REST_MS = 1_000;

/** Age at which an observation counts as stuck, in milliseconds; searches have their own deadline. */
const STUCK_MS = 60_000;

/**
 * Observes exchanges on a separate thread, any number at a time.
 *
 * The thread starts with the first order and keeps running. If it ends for any reason, its observations fail,
 * and after a short delay the next order starts a new thread.
 */
export class ObservationThread {
  readonly #options: ObservationThreadOptions;
  readonly #jobs = new Map<number, Job>();
  #data: ObservationThreadData;
  #worker: Worker | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #orders = 0;
  #isClosed = false;

  constructor(options: ObservationThreadOptions) {
    this.#options = options;
    this.#data = options.data;
  }

  /** Whether an order would be accepted. */
  get isReady(): boolean {
    return !this.#isClosed && this.#options.now() >= this.#restsUntil;
  }

  /**
   * Copies the request's bytes to the thread and transfers the response's. Resolves with undefined after a
   * defect, which is reported, or after the thread ended.
   */
  observe(order: ObservationOrder): Promise<Observed | undefined> {
    this.#worker ??= this.#start();
    const id = this.#orders++;
    const { promise, resolve } = Promise.withResolvers<Observed | undefined>();
    this.#jobs.set(id, { startedAt: this.#options.now(), resolve });
    this.#worker.postMessage({ id, order }, order.response ? [order.response.bytes.buffer] : []);
    return promise;
  }

  /** Applies settings to later orders. */
  use(config: Config): void {
    this.#data = { ...this.#data, config };
    this.#worker?.postMessage({ config } satisfies ChangedSettings);
  }

  /** Ends a thread with a stuck observation. Call it regularly. */
  sweep(): void {
    const [oldest] = this.#jobs.values();
    if (oldest && this.#options.now() - oldest.startedAt > STUCK_MS) void this.#worker?.terminate();
  }

  /** Ends the thread. Unfinished observations are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // An explicit `execArgv` keeps flags of the parent, such as a test runner's, from the thread.
    const worker = new Worker(this.#options.program ?? PROGRAM, {
      workerData: this.#data,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let thrown: unknown;
    worker.on('message', (reply: ObservationReply) => this.#take(reply));
    worker.on('error', (error) => {
      thrown = error;
    });
    worker.on('exit', (code) => this.#lose(thrown ?? new Error(`the observing thread exited with ${code}`)));
    worker.unref();
    return worker;
  }

  #take(reply: ObservationReply): void {
    if (reply.kind === 'embedder') {
      this.#options.onEmbedder?.(reply.event);
      return;
    }
    if (reply.kind !== 'observed') this.#options.onDefect(reply.error);
    if (reply.kind === 'defect') return;
    this.#jobs.get(reply.id)?.resolve(reply.kind === 'observed' ? reply.observed : undefined);
    this.#jobs.delete(reply.id);
  }

  #lose(error: unknown): void {
    this.#worker = undefined;
    this.#restsUntil = this.#options.now() + REST_MS;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    if (!this.#isClosed) this.#options.onDefect(error);
    for (const job of jobs) job.resolve(undefined);
  }
}
