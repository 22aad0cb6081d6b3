import { type ExchangeRecord, exchangeCost, type PriceTable } from '@winnow/core';
import type { SavedRange } from './live-totals.ts';

/** One exchange in the table of the page: the parts of its record that one filters, sorts and adds up by. */
export interface LiveRow {
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
  record: ExchangeRecord,
  {
    n,
    saved,
    prices,
  }: { readonly n: number; readonly saved: SavedRange | undefined; readonly prices: PriceTable },
): LiveRow {
  const { tools, newlyLoaded, outcome, status, toolBytes } = record;
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
    tools: tools.total,
    shown: tools.total - tools.deferred + tools.loaded,
    deferred: tools.deferred,
    searches: record.searches.length,
    loaded: newlyLoaded === undefined ? 0 : newlyLoaded.found + newlyLoaded.restored,
    rounds: record.upstreamCalls,
    addedMs: record.addedMs,
    totalMs: record.totalMs,
    outcome,
    isFailed: outcome === 'failed' || (outcome === 'answered' && (status ?? 0) >= 400),
    status,
    cause: record.cause,
    restored: record.restoredBecause,
    tokensBefore: toolBytes.estimatedTokensBefore,
    tokensAfter: toolBytes.estimatedTokensAfter,
    cost: cost.ok ? cost.amount : undefined,
    savedLow: saved?.low,
    savedHigh: saved?.high,
  };
}

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MOST_TEXT_CHARS ? text : `${text.slice(0, MOST_TEXT_CHARS)}…`;
}
