import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import type { JsonObject } from '../json/json-splice.ts';

/**
 * Counts the tokens of a usage. The provider counts thoughts separately from the output, and the input of its
 * own tools separately from the prompt. Cache reads are part of the prompt's count; cache writes are not
 * reported.
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: [usage.total_input_tokens, usage.total_tool_use_tokens],
    output: [usage.total_output_tokens, usage.total_thought_tokens],
    cachedInput: usage.total_cached_tokens,
  });
}
