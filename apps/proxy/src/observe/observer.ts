import type { ExchangeRecord, RolloutArm } from '@winnow/contract';
import { ByteBudget } from '@winnow/service';
import { ExchangeTap, type TappedExchange } from './exchange-tap.ts';
import type { Observed } from './observation-order.ts';
import type { ObservationThread } from './observation-thread.ts';

/** What an observer is made of. */
export interface ObserverOptions {
  readonly thread: Pick<ObservationThread, 'isReady' | 'observe' | 'close'>;
  /** Takes each record when there is nothing to add to it any more. */
  readonly takeRecord: (record: ExchangeRecord) => void;
  /** Told of what kept an exchange from being handed over, or its record from being taken. */
  readonly onDefect: (error: unknown) => void;
  /** Largest body that is observed. */
  readonly maxBodyBytes: number;
}

/** Copies of all bodies together: those that are still growing, those that wait, and those that are being observed. */
const COPIED_BYTES = 128 * 1024 * 1024;

/** A body beyond this is not worth the room of a hundred others. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Exchanges that wait to be observed. */
const MAX_WAITING = 500;

/** Exchanges that are observed at a time. They wait for the selector mostly, and more of them would make each other's searches look slow. */
const MAX_RUNNING = 4;

interface Waiting {
  readonly record: ExchangeRecord;
  readonly tap: ExchangeTap;
}

/**
 * Finds out about exchanges from their taps, when they are over, and passes every record on once.
 *
 * Nobody ever waits for it: what does not fit is dropped, and counted as such.
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

  /** A tap for an exchange that is about to be forwarded as it is; undefined when there is nothing to find out about it. */
  tap(exchange: Omit<TappedExchange, 'arm'>, arm: RolloutArm): ExchangeTap | undefined {
    const isObserved = arm === 'dark' || arm === 'shadow';
    // To count tokens, no model is asked, and none would have searched.
    if (!isObserved || exchange.purpose !== 'answer') return undefined;
    const limitBytes = Math.min(this.#options.maxBodyBytes, MAX_BODY_BYTES);
    return new ExchangeTap({ ...exchange, arm }, { budget: this.#budget, limitBytes });
  }

  /** Takes the record of an exchange that is over, with its tap. The record is passed on when it is complete. */
  takeRecord(record: ExchangeRecord, tap?: ExchangeTap): void {
    if (!tap?.isWhole) {
      tap?.giveUp();
      this.#passOn(record);
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
    // One that was still running when the observer closed was passed on already.
    if (!this.#running.delete(waiting)) return;
    tap.giveUp();
    this.#passOn({ ...record, ...(observed ?? { observation: { status: 'failed' } }) });
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

  /** A record that cannot be counted or written must cost neither the exchange its response nor the process its life. */
  #passOn(record: ExchangeRecord): void {
    try {
      this.#options.takeRecord(record);
    } catch (error) {
      this.#options.onDefect(error);
    }
  }
}
