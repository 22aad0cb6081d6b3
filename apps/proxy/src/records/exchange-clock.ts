import type { ExchangeRecord } from '@winnow/contract';

/** Where the time of an exchange went, in milliseconds. */
export interface ExchangeTimes {
  /** Until the body of the client's request was there. */
  readonly receivingMs: number;
  /** Requests to the upstream: all but the last one. */
  readonly hiddenRoundsMs: number;
  /** The last request to the upstream, or the one that runs. */
  readonly lastRoundMs: number;
  /** From the head of the client's request to the end of its answer, or to now. */
  readonly totalMs: number;
  /** What is left of the total: the client has waited for nobody but the proxy. */
  readonly addedMs: number;
}

/** The times of a record that a clock tells. */
export type RecordTimes = Pick<ExchangeRecord, 'hiddenRoundsMs' | 'addedMs' | 'totalMs'>;

/**
 * Tells whose time the client of an exchange waits for: its own, the upstream's, or the proxy's.
 *
 * Everything that is neither receiving nor a request to the upstream is the proxy's, so that no work of ours can be forgotten.
 */
export class ExchangeClock {
  readonly #now: () => number;
  readonly #startedAt: number;
  #receivedAt: number | undefined;
  #hiddenRoundsMs = 0;
  #round: { readonly startedAt: number; readonly endedAt?: number } | undefined;
  #endedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** The body of the request is there. */
  received(): void {
    this.#receivedAt = this.#now();
  }

  /** Milliseconds since the body was there. */
  sinceReceived(): number {
    return this.waitedSince(this.#receivedAt ?? this.#startedAt);
  }

  /** Milliseconds that the client has waited since then, which is a time of the same clock: after its answer it waits no more. */
  waitedSince(time: number): number {
    return Math.max(0, (this.#endedAt ?? this.#now()) - time);
  }

  /** A request to the upstream begins; one that still runs has failed. */
  roundBegins(): void {
    this.#hiddenRoundsMs += this.#roundMs();
    this.#round = { startedAt: this.#now() };
  }

  /** The answer to the request is whole, and what follows is the proxy's time again. An answer that is passed on ends with the exchange. */
  roundEnds(): void {
    if (this.#round) this.#round = { ...this.#round, endedAt: this.#now() };
  }

  /** The client has its answer; what is done from here on is in nobody's way. */
  answered(): void {
    this.#endedAt ??= this.#now();
  }

  read(): ExchangeTimes {
    const totalMs = this.waitedSince(this.#startedAt);
    const receivingMs = (this.#receivedAt ?? this.#startedAt) - this.#startedAt;
    const lastRoundMs = this.#roundMs();
    const others = receivingMs + this.#hiddenRoundsMs + lastRoundMs;
    return {
      receivingMs,
      hiddenRoundsMs: this.#hiddenRoundsMs,
      lastRoundMs,
      totalMs,
      // The clock is read more than once, and the sum of parts may be above their whole by a rounding.
      addedMs: Math.max(0, totalMs - others),
    };
  }

  /** Puts its times into the exchange's record. */
  writeTo(record: RecordTimes): void {
    const { hiddenRoundsMs, addedMs, totalMs } = this.read();
    Object.assign(record, { hiddenRoundsMs, addedMs, totalMs } satisfies RecordTimes);
  }

  #roundMs(): number {
    if (!this.#round) return 0;
    const { startedAt, endedAt } = this.#round;
    return endedAt === undefined ? this.waitedSince(startedAt) : endedAt - startedAt;
  }
}
