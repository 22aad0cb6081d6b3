import type { ExchangeRecord, TokenUsage } from '../contract/exchange-record.ts';
import { type Cost, callCost } from './call-cost.ts';
import { type PriceTable, priceOf } from './price-table.ts';

/** The record fields that determine the cost; records read back from a file have them, too. */
export type CostedRecord = Pick<ExchangeRecord, 'model' | 'usage' | 'upstreamCalls'> & {
  readonly failedRounds?: readonly unknown[] | undefined;
};

/** Returns the total cost of an exchange's upstream requests, by list prices. */
export function exchangeCost(record: CostedRecord, table: PriceTable): Cost {
  const calls = callsOf(record);
  if (calls === undefined) return { ok: false, reason: 'no_usage' };
  const price = priceOf(table, record.model);
  if (price === undefined) return { ok: false, reason: 'unknown_model' };
  let amount = 0;
  for (const usage of calls) {
    const cost = callCost(usage, price);
    if (!cost.ok) return cost;
    amount += cost.amount;
  }
  return { ok: true, amount };
}

/**
 * Returns the usage of every successful request; undefined if one does not report it. Failed requests are
 * assumed to cost nothing.
 */
export function callsOf(record: CostedRecord): readonly TokenUsage[] | undefined {
  const { usage: calls = [], upstreamCalls, failedRounds = [] } = record;
  return calls.length > 0 && calls.length + failedRounds.length >= upstreamCalls ? calls : undefined;
}
