import type { TokenUsage } from '@winnow/contract';
import type { ModelPrice, Rates } from './price-table.ts';

/** Why something has no price. */
export type UnpricedReason =
  /** The table of prices does not have the model. */
  | 'unknown_model'
  /** Not every request of the exchange tells its tokens. */
  | 'no_usage'
  /** The tokens do not say what the prompt cache held: records of earlier versions, or a server that keeps it to itself. */
  | 'cache_unknown'
  /** The model's price is not known for such a call: a long prompt, or a use of the cache. */
  | 'rate_unknown';

/** An amount in the currency of the table, or why there is none. */
export type Cost =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly reason: UnpricedReason };

/** The rates of a call with so much input; undefined where they are not known. */
export function ratesFor(
  { longPrompts, upTo, ...rates }: ModelPrice,
  inputTokens: number,
): Rates | undefined {
  if (longPrompts !== undefined && inputTokens > longPrompts.above) return longPrompts;
  return upTo !== undefined && inputTokens > upTo ? undefined : rates;
}

/** What one call to the upstream has cost. */
export function callCost(usage: TokenUsage, price: ModelPrice): Cost {
  const rates = ratesFor(price, usage.inputTokens);
  if (rates === undefined) return { ok: false, reason: 'rate_unknown' };
  const input = inputCost(usage, rates);
  if (!input.ok) return input;
  return { ok: true, amount: input.amount + (usage.outputTokens * rates.output) / 1e6 };
}

/** The part of it that the input takes. */
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
