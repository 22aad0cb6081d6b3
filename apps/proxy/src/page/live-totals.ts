import { type ExchangeRecord, estimateSavings, type PriceTable } from '@winnow/core';
import { isGood } from '../upstream/proxy-error.ts';

/** Lower and upper bound of the savings of deferring; negative for a loss. */
export interface SavedRange {
  readonly low: number;
  readonly high: number;
}

/** Totals since the start, as plain data. */
export interface LiveTotals {
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly exchanges: number;
  /** Exchanges whose tools were deferred. */
  readonly deferring: number;
  /** Exchanges without a complete 2xx response, except those whose client left. */
  readonly failed: number;
  /** Tool tokens, estimated from bytes, of exchanges that deferred and ended well. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly searches: number;
  readonly failedSearches: number;
  /** Total added latency of exchanges that deferred, in milliseconds. */
  readonly addedMs: number;
  /** Estimated savings of deferring, in `currency`, and the number of exchanges with an estimate. */
  readonly saved: SavedRange;
  readonly estimated: number;
  readonly currency: string;
}

/** The state of an upstream, according to its last exchange. */
export interface UpstreamState {
  readonly name: string;
  readonly isWorking: boolean;
  /** The status that the client received; undefined if the client left before. */
  readonly status: number | undefined;
  readonly cause: string | undefined;
  /** Time of the exchange, as ISO 8601. */
  readonly time: string;
}

const ANSWERED: ReadonlySet<string> = new Set(['found', 'weak', 'no_match']);

/** Counts finished exchanges, with a few additions each. */
export class LiveTally {
  readonly #upstreams = new Map<string, UpstreamState>();
  readonly #totals: { -readonly [Field in keyof LiveTotals]: LiveTotals[Field] };

  /** Creates the tally. `since` is the start, in milliseconds since the epoch. */
  constructor(prices: PriceTable, since: number) {
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
      saved: { low: 0, high: 0 },
      estimated: 0,
      currency: prices.currency,
    };
  }

  /** Adds an exchange and its savings, as estimated by `savedBy`. */
  add(record: ExchangeRecord, saved: SavedRange | undefined): void {
    const totals = this.#totals;
    const isWhole = record.outcome === 'answered' && isGood({ status: record.status ?? 0 });
    totals.exchanges++;
    if (!isWhole && record.outcome !== 'client_gone') totals.failed++;
    for (const { outcome } of record.searches) {
      totals.searches++;
      if (!ANSWERED.has(outcome) && outcome !== 'limit' && outcome !== 'client_gone') totals.failedSearches++;
    }
    this.#noteUpstream(record);
    if (record.arm === 'full' && record.tools.deferred > 0)
      this.#addDeferring(record, isWhole ? { saved } : undefined);
  }

  get totals(): LiveTotals {
    return { ...this.#totals };
  }

  get upstreams(): readonly UpstreamState[] {
    return [...this.#upstreams.values()];
  }

  /** Updates the upstream's state. A 4xx status is the client's mistake and does not count as a failure. */
  #noteUpstream({ upstream: name, outcome, status, cause, time }: ExchangeRecord): void {
    if (outcome === 'client_gone') return;
    const isWorking = outcome === 'answered' && (status ?? 0) < 500;
    this.#upstreams.set(name, { name, isWorking, status, cause, time });
  }

  /** Adds an exchange that deferred; `whole` is undefined if its response was none, or not whole. */
  #addDeferring(record: ExchangeRecord, whole: { readonly saved: SavedRange | undefined } | undefined): void {
    const totals = this.#totals;
    totals.deferring++;
    totals.addedMs += record.addedMs;
    if (whole === undefined) return;
    totals.tokensBefore += record.toolBytes.estimatedTokensBefore;
    totals.tokensAfter += record.toolBytes.estimatedTokensAfter;
    const { saved } = whole;
    if (saved === undefined) return;
    totals.saved = { low: totals.saved.low + saved.low, high: totals.saved.high + saved.high };
    totals.estimated++;
  }
}

/** Returns the estimated savings of an exchange; undefined without an estimate. */
export function savedBy(record: ExchangeRecord, prices: PriceTable): SavedRange | undefined {
  if (record.arm !== 'full' || record.tools.deferred === 0) return undefined;
  const estimate = estimateSavings(record, prices);
  return estimate.ok ? { low: estimate.low.saved, high: estimate.high.saved } : undefined;
}
