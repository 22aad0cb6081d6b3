import { type ExchangeRecord, type PriceTable, priceOf } from '@winnow/core';
import { LiveTally, type SavedRange, savedBy } from '../page/live-totals.ts';

/** Counts the exchanges of one command, for one line at its end. */
export class RunTally {
  readonly #tally: LiveTally;
  readonly #prices: PriceTable;
  readonly #reasons = new Map<string, number>();
  readonly #unpriced = new Set<string>();
  #sent = 0;
  #shown = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
    this.#tally = new LiveTally(prices, 0);
  }

  /** Adds the records among log lines. */
  takeLines(lines: string): void {
    for (const line of lines.split('\n').filter(Boolean)) {
      const value = JSON.parse(line) as ExchangeRecord | { readonly event: string };
      if ('toolBytes' in value) this.#add(value);
    }
  }

  #add(record: ExchangeRecord): void {
    this.#tally.add(record, savedBy(record, this.#prices));
    const { total, kept, deferred, loaded } = record.tools;
    this.#sent += total;
    this.#shown += deferred === 0 ? total : kept + loaded;
    if (record.model !== undefined && priceOf(this.#prices, record.model) === undefined) {
      this.#unpriced.add(record.model);
    }
    const { planReason: reason } = record;
    if (deferred === 0 && reason !== undefined) {
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    }
  }

  /** Whether any exchange has been counted. */
  get hasRecords(): boolean {
    return this.#tally.totals.exchanges > 0;
  }

  /** Returns the sum in one sentence. */
  describe(): string {
    const totals = this.#tally.totals;
    if (!this.hasRecords) return 'no request to a model came through Winnow';
    const requests = count(totals.exchanges, 'request');
    const shown = `${whole(this.#shown)} of ${whole(this.#sent)} tools shown in ${requests}`;
    if (totals.deferring === 0) return `${this.#sent === 0 ? requests : shown}${this.#why()}`;
    const tokens = totals.tokensBefore - totals.tokensAfter;
    return [
      shown,
      count(totals.searches, 'search', 'searches'),
      `about ${whole(tokens)} tokens ${tokens < 0 ? 'more' : 'fewer'}`,
      totals.estimated === 0 ? `money not estimated${this.#noPrice()}` : `${this.#range(totals.saved)} saved`,
    ].join(', ');
  }

  #why(): string {
    const [most] = [...this.#reasons].sort(([, one], [, other]) => other - one);
    return most === undefined ? '' : `, left alone (${most[0]})`;
  }

  /** The model is the client's text: it may be of any length. */
  #noPrice(): string {
    const [model] = this.#unpriced;
    return model === undefined
      ? ''
      : ` (no price of ${model.slice(0, 64).replaceAll(/[^ -~]/g, '?')} is known)`;
  }

  #range({ low, high }: SavedRange): string {
    const [least, most] = [this.#money(low), this.#money(high)];
    return least === most ? least : `${least} to ${most}`;
  }

  #money(amount: number): string {
    return amount.toLocaleString('en-US', {
      style: 'currency',
      currency: this.#tally.totals.currency,
      maximumFractionDigits: Math.abs(amount) < 1 ? 4 : 2,
    });
  }
}

const whole = (value: number) => Math.abs(Math.round(value)).toLocaleString('en-US');

function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}
