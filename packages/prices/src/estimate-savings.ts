import type { ExchangeRecord, TokenUsage } from '@winnow/contract';
import { callCost, inputCost, ratesFor, type UnpricedReason } from './call-cost.ts';
import { type CostedRecord, callsOf } from './exchange-cost.ts';
import { type ModelPrice, type PriceTable, priceOf, type Rates } from './price-table.ts';

/** The fields of a record that its savings are estimated from. */
export type SavingRecord = CostedRecord &
  Pick<
    ExchangeRecord,
    'firstRequestBytes' | 'hiddenTurnsKnown' | 'loadMode' | 'swappedInRound' | 'toolBytes'
  >;

/** What deferring is estimated to have saved in one exchange. Amounts are in the currency of the table. */
export interface Savings {
  /** What the tools that were not sent would have cost in the client's one request. */
  readonly notSent: number;
  /** What the requests cost that the client has not asked for: searches of the model, and the prompt once more. */
  readonly extraRounds: number;
  /** What the first prompt cost more because the cache held nothing of it. */
  readonly cacheLost: number;
  /** `notSent` less the other two; negative where deferring has cost more than it saved. */
  readonly saved: number;
  /** What the exchange has cost in all. */
  readonly spent: number;
}

export type Estimate =
  | ({ readonly ok: true } & Savings)
  | { readonly ok: false; readonly reason: UnpricedReason | 'size_unknown' };

/**
 * Estimates what deferring has saved in an exchange of arm `full`:
 *
 * - *not sent*: the bytes of tools that were not sent, times the tokens per byte of this very request. Tools stand at the head of a prompt:
 *   where the cache held any of the first prompt, it would have held them, and they are priced as cached; where the prompt was written to
 *   the cache, as written; else as input.
 * - *extra rounds*: what all calls have cost, less the first prompt and the last output, which would have been there anyway. Caches that
 *   loading tools has broken are in it: later prompts are priced as they were really read.
 * - *cache lost*: a conversation that has searched before, and whose first prompt was read from no cache although there is one, is taken
 *   to have lost it to deferring. It may have run out by itself, so this errs against Winnow.
 */
export function estimateSavings(record: SavingRecord, table: PriceTable): Estimate {
  const calls = callsOf(record);
  if (calls === undefined) return { ok: false, reason: 'no_usage' };
  const price = priceOf(table, record.model);
  if (price === undefined) return { ok: false, reason: 'unknown_model' };
  const bytes = unsentBytes(record);
  if (bytes === undefined) return { ok: false, reason: 'size_unknown' };
  const first = calls[0]!;
  const tokens = bytes.notSent * tokensPerByte(first.inputTokens, bytes.prompt);
  return priceSavings({ calls, price, tokens, hadSearches: record.hiddenTurnsKnown > 0 });
}

interface Unpriced {
  readonly calls: readonly TokenUsage[];
  readonly price: ModelPrice;
  /** That were not sent. */
  readonly tokens: number;
  readonly hadSearches: boolean;
}

function priceSavings({ calls, price, tokens, hadSearches }: Unpriced): Estimate {
  const first = calls[0]!;
  // The prompt with all its tools may be in a dearer class.
  const wholeRates = ratesFor(price, first.inputTokens + tokens);
  const firstRates = ratesFor(price, first.inputTokens);
  if (wholeRates === undefined || firstRates === undefined) return { ok: false, reason: 'rate_unknown' };
  const wholePrompt = inputCost(first, wholeRates);
  const unsentRate = rateOfHead(first, wholeRates);
  if (!wholePrompt.ok) return wholePrompt;
  if (unsentRate === undefined) return { ok: false, reason: 'rate_unknown' };
  let spent = 0;
  for (const call of calls) {
    const cost = callCost(call, price);
    if (!cost.ok) return cost;
    spent += cost.amount;
  }
  const sentPrompt = inputCost(first, firstRates);
  if (!sentPrompt.ok) return sentPrompt;
  const output = (calls.at(-1)!.outputTokens * firstRates.output) / 1e6;
  const dearer =
    wholePrompt.amount - sentPrompt.amount + (calls.at(-1)!.outputTokens * wholeRates.output) / 1e6 - output;
  const notSent = (tokens * unsentRate) / 1e6 + dearer;
  const extraRounds = calls.length === 1 ? 0 : spent - sentPrompt.amount - output;
  const cacheLost = hadSearches ? lostCache(first, firstRates, sentPrompt.amount) : 0;
  return { ok: true, notSent, extraRounds, cacheLost, saved: notSent - extraRounds - cacheLost, spent };
}

/** What a token at the head of the prompt costs. */
function rateOfHead(first: TokenUsage, rates: Rates): number | undefined {
  if ((first.cachedInputTokens ?? 0) > 0) return rates.cachedInput;
  if ((first.longCacheWriteTokens ?? 0) > 0) return rates.longCacheWrite;
  return (first.cacheWriteTokens ?? 0) > 0 ? (rates.cacheWrite ?? rates.input) : rates.input;
}

/** A cache is in use where something was written to it, or where writing is not charged and so happens by itself. */
function lostCache(first: TokenUsage, rates: Rates, cost: number): number {
  const { cachedInput, cacheWrite } = rates;
  const isInUse = (first.cacheWriteTokens ?? 0) > 0 || cacheWrite === undefined;
  if (cachedInput === undefined || !isInUse || first.cachedInputTokens !== 0) return 0;
  return Math.max(0, cost - (first.inputTokens * cachedInput) / 1e6);
}

/** Bytes of tools that the first request left out, and of what its prompt was made of; undefined where the record does not tell. */
function unsentBytes({ firstRequestBytes, loadMode, swappedInRound, toolBytes }: SavingRecord) {
  const { before, first } = toolBytes;
  if (firstRequestBytes === undefined || first === undefined) return undefined;
  const notSent = Math.max(0, before - first);
  // Natively deferred tools are sent and kept from the prompt by the provider; so they were at first where swapping came later.
  const wasNative = loadMode === 'native' || swappedInRound !== undefined;
  const prompt = wasNative ? firstRequestBytes - notSent : firstRequestBytes;
  return prompt > 0 ? { notSent, prompt } : undefined;
}

/** As definitions of tools have them at most and at least. */
const MOST_TOKENS_PER_BYTE = 1 / 2;
const FEWEST_TOKENS_PER_BYTE = 1 / 6;

/**
 * The request's own ratio. One that text cannot have comes from pictures, or from a context that the provider keeps; the fewest tokens that
 * definitions take are counted then.
 */
function tokensPerByte(inputTokens: number, promptBytes: number): number {
  const ratio = inputTokens / promptBytes;
  return ratio >= FEWEST_TOKENS_PER_BYTE && ratio <= MOST_TOKENS_PER_BYTE ? ratio : FEWEST_TOKENS_PER_BYTE;
}
