import type { ExchangeRecord, TokenUsage } from '../contract/exchange-record.ts';
import { type ModelPrice, type PriceTable, priceOf, type Rates } from './price-table.ts';

/** Reason why a cost is unknown. */
export type UnpricedReason =
  /** The price table does not contain the model. */
  | 'unknown_model'
  /** Some request of the exchange does not report its tokens. */
  | 'no_usage'
  /**
   * The tokens do not include those of the prompt cache: a record of an earlier version, or a server that
   * does not report them.
   */
  | 'cache_unknown'
  /** The table lacks the rate for such a call: a long prompt, or a use of the cache. */
  | 'rate_unknown';

/** An amount in the currency of the table, or the reason why it is unknown. */
export type Cost =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly reason: UnpricedReason };

/** Returns the rates of a call with this many input tokens; undefined if they are unknown. */
export function ratesFor(
  { longPrompts, upTo, ...rates }: ModelPrice,
  inputTokens: number,
): Rates | undefined {
  if (longPrompts !== undefined && inputTokens > longPrompts.above) return longPrompts;
  return upTo !== undefined && inputTokens > upTo ? undefined : rates;
}

/** Returns the cost of one call to the upstream. */
export function callCost(usage: TokenUsage, price: ModelPrice): Cost {
  const rates = ratesFor(price, usage.inputTokens);
  if (rates === undefined) return { ok: false, reason: 'rate_unknown' };
  const input = inputCost(usage, rates);
  if (!input.ok) return input;
  return { ok: true, amount: input.amount + (usage.outputTokens * rates.output) / 1e6 };
}

/** Returns the input's part of the cost. */
export function inputCost(usage: TokenUsage, rates: Rates): Cost {
  const { inputTokens, cachedInputTokens: cached, cacheWriteTokens: written = 0 } = usage;
  if (cached === undefined && rates.cachedInput !== undefined) return { ok: false, reason: 'cache_unknown' };
  const long = Math.min(written, usage.longCacheWriteTokens ?? 0);
  const parts = [
    [Math.max(0, inputTokens - (cached ?? 0) - written), rates.input],
    [cached ?? 0, rates.cachedInput],
    [written - long, rates.cacheWrite ?? rates.input],
    [long, rates.longCacheWrite],
  ] as const;
  let amount = 0;
  for (const [tokens, rate] of parts) {
    if (tokens === 0) continue;
    if (rate === undefined) return { ok: false, reason: 'rate_unknown' };
    amount += (tokens * rate) / 1e6;
  }
  return { ok: true, amount };
}

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
