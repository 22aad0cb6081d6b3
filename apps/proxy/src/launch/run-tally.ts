import { type ExchangeRecord, type PriceTable, priceOf } from '@winnow/core';
import { type SavedRange, savedBy, TotalsTally } from '@winnow/service';

/** Counts the exchanges of one command, for one line at its end. */
export class RunTally {
  readonly #tally: TotalsTally;
  readonly #prices: PriceTable;
  readonly #reasons = new Map<string, number>();
  readonly #statuses = new Map<string, number>();
  readonly #unpriced = new Set<string>();
  /** Tools of requests that deferred: sent by the client, and shown to the model. */
  #sent = 0;
  #shown = 0;
  /** The latest request that was left alone because of its bill. */
  #expected: ExchangeRecord['expected'];

  constructor(prices: PriceTable) {
    this.#prices = prices;
    this.#tally = new TotalsTally(prices, 0);
  }

  /** Adds the records among log lines. */
  takeLines(lines: string): void {
    for (const line of lines.split('\n').filter(Boolean)) {
      const value = JSON.parse(line) as ExchangeRecord | { readonly event: string };
      if ('toolBytes' in value) this.#add(value);
    }
  }

  #add(record: ExchangeRecord): void {
    const failedBefore = this.#tally.totals.failed;
    this.#tally.add(record, savedBy(record, this.#prices));
    const { planReason: reason, tools, status, model } = record;
    if (this.#tally.totals.failed > failedBefore) add(this.#statuses, String(status ?? 'no response'));
    if (model !== undefined && priceOf(this.#prices, model) === undefined) this.#unpriced.add(model);
    if (tools.deferred > 0) {
      this.#sent += tools.total;
      this.#shown += tools.total - tools.deferred + tools.loaded;
    } else {
      if (reason !== 'not_read') add(this.#reasons, reason);
      if (reason === 'few_savings') this.#expected = record.expected;
    }
  }

  /** Whether any exchange has been counted. */
  get hasRecords(): boolean {
    return this.#tally.totals.exchanges > 0;
  }

  /** Returns the sum in one sentence: what was done and why, tokens of context before money, and what failed. */
  describe(): string {
    const { exchanges, failed } = this.#tally.totals;
    if (!this.hasRecords) return 'no request to a model came through Winnow';
    const requests = count(exchanges, 'request');
    if (failed === exchanges) return `${requests} failed (${most(this.#statuses)})`;
    const parts = [...this.#deferring(), ...this.#leftAlone()];
    if (failed > 0) parts.push(`${whole(failed)} failed (${most(this.#statuses)})`);
    return `${requests}: ${parts.length === 0 ? 'nothing to defer' : parts.join('; ')}`;
  }

  #deferring(): string[] {
    const totals = this.#tally.totals;
    const { deferring } = totals;
    if (deferring === 0) return [];
    const tools = `${whole(this.#shown / deferring)} of ${whole(this.#sent / deferring)} tools shown`;
    const where = deferring === totals.exchanges ? 'in each' : `in each of ${whole(deferring)}`;
    const tokens = totals.tokensBefore - totals.tokensAfter;
    return [
      [
        `${tools} ${where}`,
        `about ${whole(tokens)} tokens of tools ${tokens < 0 ? 'more' : 'fewer'}`,
        count(totals.searches, 'search', 'searches'),
        totals.estimated === 0 ? `money not estimated${this.#noPrice()}` : this.#range(totals.saved),
      ].join(', '),
    ];
  }

  #leftAlone(): string[] {
    const { deferring, exchanges } = this.#tally.totals;
    const reason = most(this.#reasons);
    if (reason === undefined) return [];
    const left = deferring === 0 ? 'left alone' : `${whole(exchanges - deferring)} left alone`;
    const { freedTokens = 0, bill = 1 } = this.#expected ?? {};
    if (this.#reasons.get('few_savings') === undefined) return [`${left} (${WORDS[reason] ?? reason})`];
    const percent = Math.round(100 * (bill - 1));
    const change = percent < 0 ? `save only ${-percent} %` : `cost about ${percent} % more`;
    return [
      `${left}: deferring ${whole(freedTokens)} tokens of tools would ${change}; --goal context defers anyway`,
    ];
  }

  /** The model is the client's text: it may be of any length. */
  #noPrice(): string {
    const [model] = this.#unpriced;
    return model === undefined
      ? ''
      : ` (no price of ${model.slice(0, 64).replaceAll(/[^ -~]/g, '?')} is known)`;
  }

  #range({ low, high }: SavedRange): string {
    const [least, greatest] = [this.#money(Math.abs(low)), this.#money(Math.abs(high))];
    if (low >= 0) return least === greatest ? `${least} saved` : `${least} to ${greatest} saved`;
    if (high <= 0) return least === greatest ? `${least} more spent` : `${greatest} to ${least} more spent`;
    return `between ${least} more spent and ${greatest} saved`;
  }

  #money(amount: number): string {
    return amount.toLocaleString('en-US', {
      style: 'currency',
      currency: this.#tally.totals.currency,
      maximumFractionDigits: amount < 1 ? 4 : 2,
    });
  }
}

/** Reasons in the words of a user; others are named as in records. */
const WORDS: Readonly<Record<string, string>> = {
  client_defers: 'the agent searches for tools itself: client_defers',
  few_tools: 'few tools: few_tools',
  few_tokens: 'its tools are short: few_tokens',
  no_function_tools: 'no tools: no_function_tools',
};

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the most frequent key. */
function most(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

const whole = (value: number) => Math.abs(Math.round(value)).toLocaleString('en-US');

function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}
