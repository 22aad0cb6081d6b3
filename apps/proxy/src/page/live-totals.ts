import type { ExchangeRecord } from '@winnow/contract';
import { type Estimate, estimateSavings, type PriceTable } from '@winnow/prices';
import { isGood } from '../http/is-good.ts';

/** What has happened since the start. Plain data. */
export interface LiveTotals {
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly exchanges: number;
  /** Of them, those whose tools were deferred. */
  readonly deferring: number;
  /** No 2xx response, or not a whole one, without those whose client left. */
  readonly failed: number;
  /** Tokens of tools, estimated from bytes, of exchanges that deferred and ended well. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly searches: number;
  readonly failedSearches: number;
  /** In milliseconds, over the exchanges that deferred. */
  readonly addedMs: number;
  /** What deferring is estimated to have saved, in `currency`, and in how many exchanges; the others that deferred have no estimate. */
  readonly saved: number;
  readonly estimated: number;
  readonly currency: string;
}

/** What the last exchange with an upstream tells of it. */
export interface UpstreamState {
  readonly name: string;
  readonly isWorking: boolean;
  /** The status that the client got; undefined when it left before. */
  readonly status: number | undefined;
  readonly cause: string | undefined;
  /** ISO 8601. */
  readonly time: string;
}

const ANSWERED: ReadonlySet<string> = new Set(['found', 'no_match']);

/** Counts records as they come: a few additions each. */
export class LiveTally {
  readonly #prices: PriceTable;
  readonly #upstreams = new Map<string, UpstreamState>();
  readonly #totals: { -readonly [Field in keyof LiveTotals]: LiveTotals[Field] };

  /** `since` is the start, in milliseconds since the epoch. */
  constructor(prices: PriceTable, since: number) {
    this.#prices = prices;
    this.#totals = {
      since,
      exchanges: 0,
      deferring: 0,
      failed: 0,
      tokensBefore: 0,
      tokensAfter: 0,
      searches: 0,
      failedSearches: 0,
      addedMs: 0,
      saved: 0,
      estimated: 0,
      currency: prices.currency,
    };
  }

  add(record: ExchangeRecord): void {
    const totals = this.#totals;
    const isWhole = record.outcome === 'answered' && isGood({ status: record.status ?? 0 });
    totals.exchanges++;
    if (!isWhole && record.outcome !== 'client_gone') totals.failed++;
    for (const { outcome } of record.searches) {
      totals.searches++;
      if (!ANSWERED.has(outcome) && outcome !== 'limit' && outcome !== 'client_gone') totals.failedSearches++;
    }
    this.#noteUpstream(record);
    if (record.arm === 'full' && record.tools.deferred > 0) this.#addDeferring(record, isWhole);
  }

  get totals(): LiveTotals {
    return { ...this.#totals };
  }

  get upstreams(): readonly UpstreamState[] {
    return [...this.#upstreams.values()];
  }

  /** By name; what a client's own mistake came to says nothing of an upstream. */
  #noteUpstream({ upstream: name, outcome, status, cause, time }: ExchangeRecord): void {
    if (outcome === 'client_gone') return;
    const isWorking = outcome === 'answered' && (status ?? 0) < 500;
    this.#upstreams.set(name, { name, isWorking, status, cause, time });
  }

  #addDeferring(record: ExchangeRecord, isWhole: boolean): void {
    const totals = this.#totals;
    totals.deferring++;
    totals.addedMs += record.addedMs;
    if (!isWhole) return;
    totals.tokensBefore += record.toolBytes.estimatedTokensBefore;
    totals.tokensAfter += record.toolBytes.estimatedTokensAfter;
    const estimate = savingsOf(record, this.#prices);
    if (estimate?.ok !== true) return;
    totals.saved += estimate.saved;
    totals.estimated++;
  }
}

/** What deferring is estimated to have saved in an exchange; undefined where nothing was deferred. */
export function savingsOf(record: ExchangeRecord, prices: PriceTable): Estimate | undefined {
  const isDeferred = record.arm === 'full' && record.tools.deferred > 0;
  return isDeferred ? estimateSavings(record, prices) : undefined;
}
