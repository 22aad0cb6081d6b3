import type { Usage } from '../format/view.ts';

/** Counts as a provider reports them, under its own names: whatever is no number was not reported. */
export interface ReportedCounts {
  /** All tokens of the input side, those of a prompt cache included. */
  readonly input: unknown;
  readonly output: unknown;
  readonly cachedInput?: unknown;
  readonly cacheWrite?: unknown;
  readonly longCacheWrite?: unknown;
}

/** The usage in them. Counts of the prompt cache that were not reported are absent, as zero says something else. */
export function toUsage({ input, output, cachedInput, cacheWrite, longCacheWrite }: ReportedCounts): Usage {
  return {
    inputTokens: count(input),
    outputTokens: count(output),
    ...(typeof cachedInput === 'number' && { cachedInputTokens: cachedInput }),
    ...(typeof cacheWrite === 'number' && { cacheWriteTokens: cacheWrite }),
    ...(typeof longCacheWrite === 'number' && longCacheWrite > 0 && { longCacheWriteTokens: longCacheWrite }),
  };
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0;
}
