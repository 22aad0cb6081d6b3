import type { ExchangeRecord } from '@winnow/contract';
import type { ExchangeFact, Tell } from './exchange-fact.ts';

/** What is known of an exchange when it begins: fields of its record. */
export type RecordStart = Pick<ExchangeRecord, 'time' | 'requestId' | 'upstream' | 'format' | 'strategy'>;

/** A fact, and when it was told. */
export interface TimedFact {
  readonly at: number;
  readonly fact: ExchangeFact;
}

/** An exchange up to a moment. Times are milliseconds of one clock that only ever grows. */
export interface ExchangeSoFar {
  readonly start: RecordStart;
  readonly startedAt: number;
  /** In the order in which they were told. */
  readonly facts: readonly TimedFact[];
  readonly now: number;
}

/** The facts of one exchange, each with its time. They are only ever added; what is told of the exchange is folded from them. */
export class Timeline {
  readonly #start: RecordStart;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #facts: TimedFact[] = [];

  /** `now` gives milliseconds that only ever grow. */
  constructor(start: RecordStart, now: () => number) {
    this.#start = start;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly tell: Tell = (fact) => {
    this.#facts.push({ at: this.#now(), fact });
  };

  /** The exchange up to now. */
  soFar(): ExchangeSoFar {
    return { start: this.#start, startedAt: this.#startedAt, facts: this.#facts, now: this.#now() };
  }
}
