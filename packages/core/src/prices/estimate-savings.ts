import type { ExchangeRecord, TokenUsage } from '../contract/exchange-record.ts';
import {
  type Cost,
  type CostedRecord,
  callCost,
  callsOf,
  inputCost,
  ratesFor,
  type UnpricedReason,
} from './call-cost.ts';
import { type ModelPrice, type PriceTable, priceOf } from './price-table.ts';

/** The record fields that savings are estimated from. */
export type SavingRecord = CostedRecord & Pick<ExchangeRecord, 'newBytes' | 'promptBytes' | 'toolBytes'>;

/**
 * The estimated savings of one exchange by deferring, for one assumption about the cache. Amounts are in the
 * currency of the table.
 */
interface Savings {
  /** Cost of the unsent tools in the client's single request. */
  readonly notSent: number;
  /** Cost of the requests that the client did not make: searches of the model, and the repeated prompt. */
  readonly extraRounds: number;
  /** Extra cost of the first prompt because the cache held less of it than of the direct one. */
  readonly cacheLost: number;
  /** `notSent` minus the other two; negative if deferring cost more than it saved. */
  readonly saved: number;
  /** Total cost of the exchange. */
  readonly spent: number;
}

/**
 * The savings of an exchange: `low` if the cache favours the direct request as far as the record allows,
 * `high` if it favours deferring. Both are the same where the record leaves nothing open.
 */
type Estimate =
  | { readonly ok: true; readonly low: Savings; readonly high: Savings }
  | { readonly ok: false; readonly reason: InestimableReason };

/** Reason why nothing can be said about savings. */
export type InestimableReason = UnpricedReason | 'size_unknown';

/**
 * Whether deferring had an effect on the cost of an exchange: it defers, or is the first one to pass after an agent's
 * conversations that did, which finds no cache of its head.
 */
export function hasSavings({
  arm,
  tools,
  expected,
}: Pick<ExchangeRecord, 'arm' | 'tools' | 'expected'>): boolean {
  return arm === 'full' && (tools.deferred > 0 || expected?.isChange === true);
}

/**
 * Estimates the savings of deferring in an exchange with an effect ({@link hasSavings}): the cost of the client's single request
 * with all its tools, minus what the exchange cost.
 *
 * - *not sent*: the bytes of unsent tools, times the tokens per byte of this request.
 * - *extra rounds*: the cost of all calls, minus the first prompt and the last output, which the client would
 *   have paid anyway. Includes caches that loading tools invalidated: later prompts are priced as they were
 *   actually read.
 * - *cache lost*: the cost of the first prompt, minus its cost if the cache had held as much of it as of the
 *   direct prompt.
 *
 * The cache that the direct request would have met is not known, so there are two amounts: see `cacheCases`.
 */
export function estimateSavings(record: SavingRecord, table: PriceTable): Estimate {
  const calls = callsOf(record);
  if (calls === undefined) return { ok: false, reason: 'no_usage' };
  const price = priceOf(table, record.model);
  if (price === undefined) return { ok: false, reason: 'unknown_model' };
  const { newBytes = 0, promptBytes, toolBytes } = record;
  if (promptBytes === undefined || toolBytes.first === undefined)
    return { ok: false, reason: 'size_unknown' };
  const ratio = tokensPerByte(calls[0]!.inputTokens, promptBytes);
  const unsent = Math.max(0, toolBytes.before - toolBytes.first) * ratio;
  const fresh = Math.min(calls[0]!.inputTokens, newBytes * ratio);
  return rangeOf(cacheCases({ calls, price, unsent, fresh }).map((one) => priceCase(one, price)));
}

type Priced = ({ readonly ok: true } & Savings) | Extract<Cost, { ok: false }>;

/** Returns the least and the most that any case saves. */
function rangeOf(cases: readonly Priced[]): Estimate {
  let range: { low: Savings; high: Savings } | undefined;
  for (const one of cases) {
    if (!one.ok) return one;
    const { ok: _, ...savings } = one;
    range ??= { low: savings, high: savings };
    if (savings.saved < range.low.saved) range.low = savings;
    if (savings.saved > range.high.saved) range.high = savings;
  }
  return { ok: true, ...range! };
}

/** Prices one case. Each call has the rates of its own length; long prompts may have dearer ones. */
function priceCase({ calls, direct, first }: CacheCase, price: ModelPrice): Priced {
  const { outputTokens } = calls.at(-1)!;
  const rates = ratesFor(price, first.inputTokens);
  if (rates === undefined) return { ok: false, reason: 'rate_unknown' };
  const whole = callCost({ ...direct, outputTokens }, price);
  const read = inputCost(calls[0]!, rates);
  const likeDirect = inputCost(first, rates);
  const costs = calls.map((call) => callCost(call, price));
  for (const cost of [whole, read, likeDirect, ...costs]) if (!cost.ok) return cost;
  const spent = costs.reduce((sum, cost) => sum + amountOf(cost), 0);
  const saved = amountOf(whole) - spent;
  const extraRounds = calls.length === 1 ? 0 : spent - amountOf(read) - (outputTokens * rates.output) / 1e6;
  const cacheLost = amountOf(read) - amountOf(likeDirect);
  return { ok: true, notSent: saved + extraRounds + cacheLost, extraRounds, cacheLost, saved, spent };
}

const amountOf = (cost: Cost): number => (cost.ok ? cost.amount : 0);

/** Bounds of the tokens per byte in tool definitions. */
const MOST_TOKENS_PER_BYTE = 1 / 2;
const FEWEST_TOKENS_PER_BYTE = 1 / 6;

/**
 * Returns the request's own ratio. A ratio that text cannot have results from images, or from context that
 * the provider stores; then the lowest ratio of definitions is used.
 */
function tokensPerByte(inputTokens: TokenUsage['inputTokens'], promptBytes: number): number {
  const ratio = inputTokens / promptBytes;
  return ratio >= FEWEST_TOKENS_PER_BYTE && ratio <= MOST_TOKENS_PER_BYTE ? ratio : FEWEST_TOKENS_PER_BYTE;
}

/** An assumption about the prompt cache, as the usage that follows from it. */
interface CacheCase {
  /** The calls of the exchange; the first is the one that replaced the client's. */
  readonly calls: readonly TokenUsage[];
  /** The first prompt, read from the cache as far as it would have been within the direct one. */
  readonly first: TokenUsage;
  /** The direct prompt: the first one and the unsent tools. */
  readonly direct: TokenUsage;
}

/** The parts of an exchange that the cases differ in. */
interface CachedExchange {
  readonly calls: readonly TokenUsage[];
  readonly price: ModelPrice;
  /** Tokens of the unsent tools. */
  readonly unsent: number;
  /** Tokens of the first prompt that no cache can hold, because no earlier prompt had them. */
  readonly fresh: number;
}

/**
 * The most tokens that a provider asks of a prompt before it caches a marked one (Anthropic, some models): a
 * shorter prompt without cached tokens says nothing about a longer one.
 */
const LARGEST_MINIMUM = 4_096;

/**
 * Returns the cases that a record leaves open.
 *
 * - *alike*: the cache held the same part of the direct prompt as of the first one. The unsent tools, at the
 *   head of the prompt, are read from the cache if any of the first prompt was, written if any was written,
 *   plain otherwise.
 * - *warm*: the cache held all of the direct prompt except its new part. Deferring changes the head of a
 *   prompt, so its own prompt may miss a cache that the direct one would have met.
 *
 * Only *alike* remains where no cache is in use. If the provider does not report cached tokens, then the cases
 * are: none cached on either side, all cached on both, all cached on the direct side alone.
 */
function cacheCases({ calls, price, unsent, fresh }: CachedExchange): readonly CacheCase[] {
  const first = calls[0]!;
  if (price.cachedInput === undefined) return [caseOf(calls, first, unsent)];
  if (calls.every(({ cachedInputTokens }) => cachedInputTokens !== undefined)) {
    const alike = caseOf(calls, first, unsent);
    if (!isCacheInUse(first, price)) return [alike];
    return [alike, caseOf(calls, warmed(first, fresh), unsent, 'cached')];
  }
  const cold = calls.map((call) => ({ ...call, cachedInputTokens: call.cachedInputTokens ?? 0 }));
  const warm = calls.map((call, at) => warmed(call, at === 0 ? fresh : growth(calls, at)));
  return [
    caseOf(cold, cold[0]!, unsent),
    caseOf(warm, warm[0]!, unsent, 'cached'),
    caseOf(cold, warm[0]!, unsent, 'cached'),
  ];
}

/** Returns the tokens that a call has more than the one before it. */
function growth(calls: readonly TokenUsage[], at: number): number {
  return Math.max(0, calls[at]!.inputTokens - calls[at - 1]!.inputTokens);
}

/** Whether something was read from or written to a cache, or caching is free and therefore automatic. */
function isCacheInUse({ cachedInputTokens, cacheWriteTokens, inputTokens }: TokenUsage, price: ModelPrice) {
  if (price.cacheWrite === undefined || inputTokens < LARGEST_MINIMUM) return true;
  return (cachedInputTokens ?? 0) > 0 || (cacheWriteTokens ?? 0) > 0;
}

type Treatment = 'cached' | 'written' | 'kept_long' | 'plain';

function caseOf(
  calls: readonly TokenUsage[],
  first: TokenUsage,
  unsent: number,
  treatment = treatmentOf(first),
): CacheCase {
  const { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, longCacheWriteTokens = 0 } = first;
  const isWritten = treatment === 'written' || treatment === 'kept_long';
  const direct = {
    ...first,
    inputTokens: inputTokens + unsent,
    ...(treatment === 'cached' && { cachedInputTokens: cachedInputTokens + unsent }),
    ...(isWritten && { cacheWriteTokens: cacheWriteTokens + unsent }),
    ...(treatment === 'kept_long' && { longCacheWriteTokens: longCacheWriteTokens + unsent }),
  };
  return { calls, first, direct };
}

/** Returns how the cache treated the start of a prompt. */
function treatmentOf(usage: TokenUsage): Treatment {
  const { cachedInputTokens = 0, cacheWriteTokens = 0, longCacheWriteTokens = 0 } = usage;
  if (cachedInputTokens > 0) return 'cached';
  if (longCacheWriteTokens > 0) return 'kept_long';
  return cacheWriteTokens > 0 ? 'written' : 'plain';
}

/** Returns the usage of a prompt if the cache had held all of it but `fresh` tokens. */
function warmed(usage: TokenUsage, fresh: number): TokenUsage {
  const cached = Math.max(usage.cachedInputTokens ?? 0, usage.inputTokens - fresh);
  const rest = Math.max(0, usage.inputTokens - cached);
  const written = usage.cacheWriteTokens === undefined ? undefined : Math.min(rest, usage.cacheWriteTokens);
  return {
    ...usage,
    cachedInputTokens: cached,
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(usage.longCacheWriteTokens !== undefined && {
      longCacheWriteTokens: Math.min(usage.longCacheWriteTokens, written ?? 0),
    }),
  };
}
