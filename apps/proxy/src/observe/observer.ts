import type { ExchangeRecord, RolloutArm } from '@winnow/core';
import { ByteBudget } from '@winnow/service';
import type { ListedTools } from '../records/listed-tools.ts';
import { ExchangeTap, type TappedExchange } from './exchange-tap.ts';
import type { Observed } from './observation-order.ts';
import type { ObservationThread } from './observation-thread.ts';

export interface ObserverOptions {
  readonly thread: Pick<ObservationThread, 'isReady' | 'observe' | 'close'>;
  /** Receives each record when it is complete, with the exchange's tools. */
  readonly takeRecord: (record: ExchangeRecord, list: ListedTools | undefined) => void;
  /** Receives errors of handing an exchange over or of processing its record. */
  readonly onDefect: (error: unknown) => void;
  /** Largest body to observe. */
  readonly maxBodyBytes: number;
}

/** Limit of all body copies together: growing, waiting and being observed. */
const COPIED_BYTES = 128 * 1024 * 1024;

/** Limit of one body; a larger one is not worth the room of a hundred others. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Maximum number of exchanges that wait for observation. */
const MAX_WAITING = 500;

/**
 * Maximum number of concurrent observations. They mainly wait for the selector, and more of them would slow
 * each other's searches down.
 */
const MAX_RUNNING = 4;

interface Waiting {
  readonly record: ExchangeRecord;
  readonly tap: ExchangeTap;
}

/**
 * Observes finished exchanges through their taps, and passes every record on once.
 *
 * Delays no client: exchanges that exceed a limit are dropped and counted.
 */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #budget = new ByteBudget(COPIED_BYTES);
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Waiting>();
  #isClosed = false;
  #onIdle: () => void = () => {};

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  /**
   * Returns a tap for an exchange that is about to be forwarded unchanged; undefined if there is nothing to
   * observe.
   */
  tap(exchange: Omit<TappedExchange, 'arm'>, arm: RolloutArm): ExchangeTap | undefined {
    const isObserved = arm === 'dark' || arm === 'shadow';
    // Counting tokens involves no model, so there would have been no search.
    if (!isObserved || exchange.purpose !== 'answer') return undefined;
    const limitBytes = Math.min(this.#options.maxBodyBytes, MAX_BODY_BYTES);
    return new ExchangeTap({ ...exchange, arm }, { budget: this.#budget, limitBytes });
  }

  /** Receives the record of a finished exchange with its tap. The record is passed on when it is complete. */
  takeRecord(record: ExchangeRecord, tap?: ExchangeTap, list?: ListedTools): void {
    if (!tap?.isWhole) {
      tap?.giveUp();
      this.#passOn(record, list);
    } else if (tap.isGivenUp || this.#isClosed || this.#waiting.length >= MAX_WAITING) {
      this.#drop({ record, tap });
    } else {
      this.#waiting.push({ record, tap });
      this.#next();
    }
  }

  /** Waits until everything is observed or `deadline` aborts, drops the rest, and ends the thread. */
  async close(deadline: AbortSignal): Promise<void> {
    await this.#settled(deadline);
    this.#isClosed = true;
    for (const waiting of [...this.#waiting.splice(0), ...this.#running]) this.#drop(waiting);
    this.#running.clear();
    await this.#options.thread.close();
  }

  #settled(deadline: AbortSignal): Promise<void> {
    if (deadline.aborted || this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #next(): void {
    while (this.#running.size < MAX_RUNNING) {
      const waiting = this.#waiting.shift();
      if (!waiting) break;
      if (this.#options.thread.isReady) void this.#observe(waiting);
      else this.#drop(waiting);
    }
    if (this.#running.size === 0) this.#onIdle();
  }

  async #observe(waiting: Waiting): Promise<void> {
    const { record, tap } = waiting;
    this.#running.add(waiting);
    const observed = await this.#observeSafely(tap);
    // Closing the observer has already passed on the records of running observations.
    if (!this.#running.delete(waiting)) return;
    tap.giveUp();
    const { list, ...fields } = observed ?? { observation: { status: 'failed' as const } };
    this.#passOn({ ...record, ...fields }, list);
    this.#next();
  }

  async #observeSafely(tap: ExchangeTap): Promise<Observed | undefined> {
    try {
      return await this.#options.thread.observe(tap.toOrder());
    } catch (error) {
      this.#options.onDefect(error);
      return undefined;
    }
  }

  #drop({ record, tap }: Waiting): void {
    tap.giveUp();
    this.#passOn({ ...record, observation: { status: 'dropped' } });
  }

  /**
   * Passes a record on. A failure to count or write it must neither cost the exchange its response nor end
   * the process.
   */
  #passOn(record: ExchangeRecord, list?: ListedTools): void {
    try {
      this.#options.takeRecord(record, list);
    } catch (error) {
      this.#options.onDefect(error);
    }
  }
}
