import type { JsonObject } from '../upstream/json-object.ts';
import type { Usage } from '../upstream/scripted-answer.ts';

/**
 * Returns usage in Gemini's shape: thought tokens are separate from output, cached tokens are part of the
 * prompt's. `said` is the output so far.
 */
export function geminiUsage(usage: Usage, said = usage.outputTokens): JsonObject {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: said - reasoningTokens,
    totalTokenCount: prompt + said,
    ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  };
}
