import type { ExchangeRecord, TokenUsage } from '@winnow/contract';
import { type Cost, callCost } from './call-cost.ts';
import { type PriceTable, priceOf } from './price-table.ts';

/** The fields of a record that its cost follows from; records as they are read back have them too. */
export type CostedRecord = Pick<ExchangeRecord, 'model' | 'usage' | 'usageByRound' | 'upstreamCalls'> & {
  readonly failedRounds?: readonly unknown[] | undefined;
};

/** What all requests of an exchange to the upstream have cost together, by list prices. */
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

/** The usage of every request that was answered; undefined when one of them does not tell. Failed ones are taken to cost nothing. */
export function callsOf(record: CostedRecord): readonly TokenUsage[] | undefined {
  const { usage, usageByRound, upstreamCalls, failedRounds = [] } = record;
  const calls = usageByRound ?? (usage === undefined ? [] : [usage]);
  return calls.length > 0 && calls.length + failedRounds.length >= upstreamCalls ? calls : undefined;
}
