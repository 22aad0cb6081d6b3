import type { TokenUsage } from '../contract/exchange-record.ts';
import type { ModelPrice } from './price-table.ts';

/** An assumption about the prompt cache, as the usage that follows from it. */
export interface CacheCase {
  /** The calls of the exchange; the first is the one that replaced the client's. */
  readonly calls: readonly TokenUsage[];
  /** The first prompt, read from the cache as far as it would have been within the direct one. */
  readonly first: TokenUsage;
  /** The direct prompt: the first one and the unsent tools. */
  readonly direct: TokenUsage;
}

/** The parts of an exchange that the cases differ in. */
export interface CachedExchange {
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
export function cacheCases({ calls, price, unsent, fresh }: CachedExchange): readonly CacheCase[] {
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
