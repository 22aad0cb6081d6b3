import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** Returns the usage of two rounds together. */
export function sumUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  return byLifetime(sumCounts(earlier, later));
}

/**
 * Returns the usage that a client sees after one more round. Cache tokens are counted separately from the
 * input, and are part of the total.
 */
export function showUsage(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  const counts = byLifetime(shownCounts(earlier, later, shown));
  const isLast = shown === 'last' && typeof later.totalTokens === 'number';
  if (!isLast || typeof earlier.totalTokens !== 'number') return counts;
  const made = Math.max(0, earlier.totalTokens - inputOf(earlier));
  return { ...counts, totalTokens: (later.totalTokens as number) + made };
}

/**
 * Counts the tokens of a usage. Cache reads and cache writes are input too, but the provider counts them
 * separately.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: inputOf(usage),
    output: usage.outputTokens,
    cachedInput: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheWriteInputTokens,
    longCacheWrite: detailsOf(usage).find(({ ttl }) => ttl === '1h')?.inputTokens,
  });
}

function inputOf(usage: JsonObject): number {
  const counts = [usage.inputTokens, usage.cacheReadInputTokens, usage.cacheWriteInputTokens];
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}

function detailsOf({ cacheDetails }: JsonObject): readonly JsonObject[] {
  return Array.isArray(cacheDetails) ? cacheDetails.filter(isJsonObject) : [];
}

/** Merges the entries of each cache lifetime into one: lists have two after they are joined. */
function byLifetime(usage: JsonObject): JsonObject {
  const details = detailsOf(usage);
  if (details.length === 0) return usage;
  const merged = [...Map.groupBy(details, ({ ttl }) => ttl)].map(([ttl, same]) => ({
    ...same.reduce(sumCounts),
    ttl,
  }));
  return { ...usage, cacheDetails: merged };
}
