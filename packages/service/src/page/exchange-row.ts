import {
  type ExchangeRecord,
  estimateSavings,
  exchangeCost,
  hasSavings,
  modelSearches,
  type PriceTable,
  type StoredRecord,
  toolTokens,
} from '@winnow/core';

/** One exchange in the table of the page: the parts of its record that one filters, sorts and adds up by. */
export interface ExchangeRow {
  /** Number of the exchange, from 0 at the start of the proxy. */
  readonly n: number;
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly model: string | undefined;
  readonly format: string;
  readonly upstream: string;
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly arm: ExchangeRecord['arm'];
  readonly plan: string;
  /** Tokens that deferring was expected to free, and its bill as a share of the direct one. */
  readonly expected: { readonly freedTokens: number; readonly bill: number } | undefined;
  /** Number of tools sent by the client, and of those shown to the model, or that would be shown. */
  readonly tools: number;
  readonly shown: number;
  readonly deferred: number;
  readonly searches: number;
  /** Number of tools that searches loaded. */
  readonly loaded: number;
  /** Number of requests to the upstream. */
  readonly rounds: number;
  readonly addedMs: number;
  readonly totalMs: number;
  readonly outcome: ExchangeRecord['outcome'];
  readonly isFailed: boolean;
  readonly status: number | undefined;
  readonly cause: string | undefined;
  readonly restored: string | undefined;
  /** Tool tokens, estimated from bytes: as sent by the client, and as forwarded. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Cost by list prices, in the currency of the totals; undefined without a price or a report of tokens. */
  readonly cost: number | undefined;
  readonly savedLow: number | undefined;
  readonly savedHigh: number | undefined;
}

/** Maximum length of a text, in characters: clients make up the names of models. */
const MOST_TEXT_CHARS = 100;

/** Returns the row of a record. */
export function rowOf(
  record: StoredRecord,
  {
    n,
    saved,
    prices,
  }: { readonly n: number; readonly saved: SavedRange | undefined; readonly prices: PriceTable },
): ExchangeRow {
  const { tools, outcome, status, toolBytes } = record;
  const cost = exchangeCost(record, prices);
  return {
    n,
    id: record.requestId,
    time: Date.parse(record.time),
    model: cut(record.model),
    format: record.format,
    upstream: record.upstream,
    session: record.session,
    agent: record.agent?.id,
    arm: record.arm,
    plan: record.planReason,
    expected: record.expected && { freedTokens: record.expected.freedTokens, bill: record.expected.bill },
    tools: tools.total,
    shown: tools.total - tools.deferred + tools.loaded,
    deferred: tools.deferred,
    searches: modelSearches(record).length,
    loaded: tools.loaded,
    rounds: record.upstreamCalls,
    addedMs: record.addedMs,
    totalMs: record.totalMs,
    outcome,
    isFailed: outcome === 'failed' || (outcome === 'answered' && (status ?? 0) >= 400),
    status,
    cause: record.cause,
    restored: record.restoredBecause,
    tokensBefore: toolTokens(toolBytes.before),
    tokensAfter: toolTokens(toolBytes.after),
    cost: cost.ok ? cost.amount : undefined,
    savedLow: saved?.low,
    savedHigh: saved?.high,
  };
}

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MOST_TEXT_CHARS ? text : `${text.slice(0, MOST_TEXT_CHARS)}…`;
}

/** Lower and upper bound of the savings of deferring; negative for a loss. */
export interface SavedRange {
  readonly low: number;
  readonly high: number;
}

/** Totals since the start, as plain data. */
export interface ExchangeTotals {
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
  /** Number of these exchanges. */
  readonly deferredWell: number;
  /** Exchanges left alone because of the expected bill, with sums of what deferring was expected to free and to cost. */
  readonly leftAlone: { readonly exchanges: number; readonly freedTokens: number; readonly bill: number };
  readonly searches: number;
  readonly failedSearches: number;
  /** Searches that found nothing, or too little. */
  readonly vainSearches: number;
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
export class TotalsTally {
  readonly #upstreams = new Map<string, UpstreamState>();
  readonly #totals: { -readonly [Field in keyof ExchangeTotals]: ExchangeTotals[Field] };

  /** Creates the tally. `since` is the start, in milliseconds since the epoch. */
  constructor(prices: PriceTable, since: number) {
    this.#totals = {
      since,
      exchanges: 0,
      deferring: 0,
      failed: 0,
      tokensBefore: 0,
      tokensAfter: 0,
      deferredWell: 0,
      leftAlone: { exchanges: 0, freedTokens: 0, bill: 0 },
      searches: 0,
      failedSearches: 0,
      vainSearches: 0,
      addedMs: 0,
      saved: { low: 0, high: 0 },
      estimated: 0,
      currency: prices.currency,
    };
  }

  /** Adds an exchange and its savings, as estimated by `savedBy`. */
  add(record: StoredRecord, saved: SavedRange | undefined): void {
    const totals = this.#totals;
    const isWhole = record.outcome === 'answered' && isGood(record.status);
    totals.exchanges++;
    if (!isWhole && record.outcome !== 'client_gone') totals.failed++;
    for (const { outcome } of modelSearches(record)) {
      totals.searches++;
      if (outcome === 'no_match' || outcome === 'weak') totals.vainSearches++;
      if (!ANSWERED.has(outcome) && outcome !== 'limit' && outcome !== 'client_gone') totals.failedSearches++;
    }
    this.#noteUpstream(record);
    if (record.planReason === 'few_savings' && record.expected !== undefined) {
      const { exchanges, freedTokens, bill } = totals.leftAlone;
      totals.leftAlone = {
        exchanges: exchanges + 1,
        freedTokens: freedTokens + record.expected.freedTokens,
        bill: bill + record.expected.bill,
      };
    }
    if (record.arm === 'full' && record.tools.deferred > 0) this.#addDeferring(record, isWhole);
    if (isWhole && saved !== undefined) {
      totals.saved = { low: totals.saved.low + saved.low, high: totals.saved.high + saved.high };
      totals.estimated++;
    }
  }

  get totals(): ExchangeTotals {
    return { ...this.#totals };
  }

  get upstreams(): readonly UpstreamState[] {
    return [...this.#upstreams.values()];
  }

  /** Updates the upstream's state. A 4xx status is the client's mistake and does not count as a failure. */
  #noteUpstream({ upstream: name, outcome, status, cause, time }: StoredRecord): void {
    if (outcome === 'client_gone') return;
    const isWorking = outcome === 'answered' && (status ?? 0) < 500;
    this.#upstreams.set(name, { name, isWorking, status, cause, time });
  }

  /** Adds an exchange that deferred. */
  #addDeferring(record: StoredRecord, isWhole: boolean): void {
    const totals = this.#totals;
    totals.deferring++;
    totals.addedMs += record.addedMs;
    if (!isWhole) return;
    totals.deferredWell++;
    totals.tokensBefore += toolTokens(record.toolBytes.before);
    totals.tokensAfter += toolTokens(record.toolBytes.after);
  }
}

/** Returns the estimated savings of an exchange; undefined without an estimate. */
export function savedBy(record: StoredRecord, prices: PriceTable): SavedRange | undefined {
  if (!hasSavings(record)) return undefined;
  const estimate = estimateSavings(record, prices);
  return estimate.ok ? { low: estimate.low.saved, high: estimate.high.saved } : undefined;
}

function isGood(status = 0): boolean {
  return status >= 200 && status <= 299;
}
