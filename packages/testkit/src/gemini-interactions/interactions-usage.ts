import type { JsonObject } from '../upstream/json-object.ts';
import type { Usage } from '../upstream/scripted-answer.ts';

/**
 * Returns usage in the shape of Interactions: thought tokens are separate from output, cached tokens are part
 * of the input.
 */
export function interactionsUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    total_tokens: input + outputTokens,
    total_input_tokens: input,
    input_tokens_by_modality: [{ modality: 'text', tokens: input }],
    total_cached_tokens: cacheReadTokens,
    total_output_tokens: outputTokens - reasoningTokens,
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoningTokens,
  };
}
