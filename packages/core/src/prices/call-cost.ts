import type { TokenUsage } from '../contract/exchange-record.ts';
import type { ModelPrice, Rates } from './price-table.ts';

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
