import type { JsonObject } from '../upstream/json-object.ts';
import type { Usage } from '../upstream/scripted-answer.ts';

/** Returns usage in the shape of Responses, in which cached tokens are part of the input. */
export function responsesUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + outputTokens,
  };
}
