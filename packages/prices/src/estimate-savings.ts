import type { ExchangeRecord, TokenUsage } from '@winnow/contract';
import { callCost, inputCost, ratesFor, type UnpricedReason } from './call-cost.ts';
import { type CostedRecord, callsOf } from './exchange-cost.ts';
import { type ModelPrice, type PriceTable, priceOf, type Rates } from './price-table.ts';

/** The record fields that savings are estimated from. */
export type SavingRecord = CostedRecord &
  Pick<
    ExchangeRecord,
    'firstRequestBytes' | 'hiddenTurnsKnown' | 'loadMode' | 'swappedInRound' | 'toolBytes'
  >;

/** The estimated savings of one exchange by deferring. Amounts are in the currency of the table. */
export interface Savings {
  /** Cost of the unsent tools in the client's single request. */
  readonly notSent: number;
  /** Cost of the requests that the client did not make: searches of the model, and the repeated prompt. */
  readonly extraRounds: number;
  /** Extra cost of the first prompt because the cache held none of it. */
  readonly cacheLost: number;
  /** `notSent` minus the other two; negative if deferring cost more than it saved. */
  readonly saved: number;
  /** Total cost of the exchange. */
  readonly spent: number;
}

export type Estimate =
  | ({ readonly ok: true } & Savings)
  | { readonly ok: false; readonly reason: UnpricedReason | 'size_unknown' };

/**
 * Estimates the savings of deferring in an exchange of arm `full`:
 *
 * - *not sent*: the bytes of unsent tools, times the tokens per byte of this request. Tools are at the start
 *   of a prompt: if the cache held any of the first prompt, it would have held them, and they are priced as
 *   cached; if the prompt was written to the cache, as written; otherwise as input.
 * - *extra rounds*: the cost of all calls, minus the first prompt and the last output, which the client would
 *   have paid anyway. Includes caches that loading tools invalidated: later prompts are priced as they were
 *   actually read.
 * - *cache lost*: if a conversation has searched before and no cache served its first prompt although there
 *   is one, deferring is assumed to have invalidated it. The cache may have expired on its own, so this errs
 *   against Winnow.
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
  /** Tokens of the unsent tools. */
  readonly tokens: number;
  readonly hadSearches: boolean;
}

function priceSavings({ calls, price, tokens, hadSearches }: Unpriced): Estimate {
  const first = calls[0]!;
  // The prompt with all its tools may fall under the dearer rates of long prompts.
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

/** Returns the price of a token at the start of the prompt. */
function rateOfHead(first: TokenUsage, rates: Rates): number | undefined {
  if ((first.cachedInputTokens ?? 0) > 0) return rates.cachedInput;
  if ((first.longCacheWriteTokens ?? 0) > 0) return rates.longCacheWrite;
  return (first.cacheWriteTokens ?? 0) > 0 ? (rates.cacheWrite ?? rates.input) : rates.input;
}

/**
 * Returns the cost of a lost cache. A cache is in use if something was written to it, or if writing is free
 * and so happens automatically.
 */
function lostCache(first: TokenUsage, rates: Rates, cost: number): number {
  const { cachedInput, cacheWrite } = rates;
  const isInUse = (first.cacheWriteTokens ?? 0) > 0 || cacheWrite === undefined;
  if (cachedInput === undefined || !isInUse || first.cachedInputTokens !== 0) return 0;
  return Math.max(0, cost - (first.inputTokens * cachedInput) / 1e6);
}

/**
 * Returns the bytes of the tools left out of the first request, and of its prompt; undefined if the record
 * lacks them.
 */
function unsentBytes({ firstRequestBytes, loadMode, swappedInRound, toolBytes }: SavingRecord) {
  const { before, first } = toolBytes;
  if (firstRequestBytes === undefined || first === undefined) return undefined;
  const notSent = Math.max(0, before - first);
  // Natively deferred tools are sent, and the provider keeps them out of the prompt; this includes first
  // requests before a later switch to swapping.
  const wasNative = loadMode === 'native' || swappedInRound !== undefined;
  const prompt = wasNative ? firstRequestBytes - notSent : firstRequestBytes;
  return prompt > 0 ? { notSent, prompt } : undefined;
}

/** Bounds of the tokens per byte in tool definitions. */
const MOST_TOKENS_PER_BYTE = 1 / 2;
const FEWEST_TOKENS_PER_BYTE = 1 / 6;

/**
 * Returns the request's own ratio. A ratio that text cannot have results from images, or from context that
 * the provider stores; then the lowest ratio of definitions is used.
 */
function tokensPerByte(inputTokens: number, promptBytes: number): number {
  const ratio = inputTokens / promptBytes;
  return ratio >= FEWEST_TOKENS_PER_BYTE && ratio <= MOST_TOKENS_PER_BYTE ? ratio : FEWEST_TOKENS_PER_BYTE;
}
