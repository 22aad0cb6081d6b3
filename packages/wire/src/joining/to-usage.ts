import type { Usage } from '../format/view.ts';

/** Counts under a provider's own names; a value that is not a number was not reported. */
export interface ReportedCounts {
  /** All input tokens, including those of a prompt cache; counts of parts of it are added up. */
  readonly input: unknown;
  readonly output: unknown;
  readonly cachedInput?: unknown;
  readonly cacheWrite?: unknown;
  readonly longCacheWrite?: unknown;
}

/**
 * Returns the usage in these counts. Counts of the prompt cache that were not reported are absent, because
 * zero has another meaning.
 */
export function toUsage({ input, output, cachedInput, cacheWrite, longCacheWrite }: ReportedCounts): Usage {
  return {
    inputTokens: addUp(input),
    outputTokens: addUp(output),
    ...(typeof cachedInput === 'number' && { cachedInputTokens: cachedInput }),
    ...(typeof cacheWrite === 'number' && { cacheWriteTokens: cacheWrite }),
    ...(typeof longCacheWrite === 'number' && longCacheWrite > 0 && { longCacheWriteTokens: longCacheWrite }),
  };
}

/** Returns the sum of the counts that are numbers. */
export function addUp(counts: unknown): number {
  if (typeof counts === 'number') return counts;
  const tokens = [counts].flat().filter((count) => typeof count === 'number');
  return tokens.reduce((sum, count) => sum + count, 0);
}
