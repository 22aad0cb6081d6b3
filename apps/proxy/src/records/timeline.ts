import type { ExchangeRecord } from '@winnow/core';
import type { ExchangeFact, Tell } from './exchange-fact.ts';

/** The known facts when an exchange begins: fields of its record. */
export type RecordStart = Pick<ExchangeRecord, 'time' | 'requestId' | 'upstream' | 'format' | 'strategy'>;

/** A fact with its time. */
export interface TimedFact {
  readonly at: number;
  readonly fact: ExchangeFact;
}

/** An exchange up to a moment. Times are milliseconds of one monotonic clock. */
export interface ExchangeSoFar {
  readonly start: RecordStart;
  readonly startedAt: number;
  /** In the order in which they happened. */
  readonly facts: readonly TimedFact[];
  readonly now: number;
}

/** The facts of one exchange, each with its time. Facts are only added; all reports are folded from them. */
export class Timeline {
  readonly #start: RecordStart;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #facts: TimedFact[] = [];

  /** `now` is a monotonic clock in milliseconds. */
  constructor(start: RecordStart, now: () => number) {
    this.#start = start;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly tell: Tell = (fact) => {
    this.#facts.push({ at: this.#now(), fact });
  };

  /** Returns the exchange up to now. */
  soFar(): ExchangeSoFar {
    return { start: this.#start, startedAt: this.#startedAt, facts: this.#facts, now: this.#now() };
  }
}
