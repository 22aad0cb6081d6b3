import { Worker } from 'node:worker_threads';
import type { EmbedderEvent } from '../search/open-local-meaning.ts';
import type { ObservationReply, ObservationThreadData } from './observation-messages.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';

/** How the thread is run. */
export interface ObservationThreadOptions {
  readonly data: ObservationThreadData;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Told of defects: of those that were lived with, and of what ended the thread. */
  readonly onDefect: (error: unknown) => void;
  /** Told once when vectors stop coming to its searches, and once when they come again. */
  readonly onEmbedder?: (event: EmbedderEvent) => void;
  /** The program that the thread runs. */
  readonly program?: URL;
}

interface Job {
  readonly startedAt: number;
  readonly resolve: (observed: Observed | undefined) => void;
}

const PROGRAM = new URL('./observation-worker.ts', import.meta.url);

/** A body that would need more ends the thread, not the process. */
const HEAP_MB = 1_024;

/** How long a thread that has ended is not replaced: starting one again and again would cost more than it is worth. */
const REST_MS = 1_000;

/** An observation that takes longer has met a defect; a search has a deadline of its own. */
const STUCK_MS = 60_000;

/**
 * Observes exchanges on a thread of its own, any number at a time.
 *
 * The thread starts with the first order and stays. One that ends, whatever the reason, fails the observations that it had; after a
 * short rest the next one gets a new thread.
 */
export class ObservationThread {
  readonly #options: ObservationThreadOptions;
  readonly #jobs = new Map<number, Job>();
  #worker: Worker | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #orders = 0;
  #isClosed = false;

  constructor(options: ObservationThreadOptions) {
    this.#options = options;
  }

  /** Whether an order would be taken. */
  get isReady(): boolean {
    return !this.#isClosed && this.#options.now() >= this.#restsUntil;
  }

  /** Copies the request's bytes, and moves the response's away from the calling thread. Gives undefined when a defect, of which is told, or the end came between. */
  observe(order: ObservationOrder): Promise<Observed | undefined> {
    this.#worker ??= this.#start();
    const id = this.#orders++;
    const { promise, resolve } = Promise.withResolvers<Observed | undefined>();
    this.#jobs.set(id, { startedAt: this.#options.now(), resolve });
    this.#worker.postMessage({ id, order }, order.response ? [order.response.bytes.buffer] : []);
    return promise;
  }

  /** Ends a thread that is stuck with an observation. To be called now and then. */
  sweep(): void {
    const [oldest] = this.#jobs.values();
    if (oldest && this.#options.now() - oldest.startedAt > STUCK_MS) void this.#worker?.terminate();
  }

  /** Ends the thread. Observations that are not done are given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // `execArgv` is given so that flags of the parent, such as a test runner's, do not reach the thread.
    const worker = new Worker(this.#options.program ?? PROGRAM, {
      workerData: this.#options.data,
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
