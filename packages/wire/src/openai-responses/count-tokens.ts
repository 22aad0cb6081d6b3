import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * Counts the tokens of a usage. Cache reads and writes are part of the input's count.
 *
 * Source: https://developers.openai.com/api/docs/guides/prompt-caching
 */
export function countTokens(usage: JsonObject): Usage {
  const details = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return toUsage({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cachedInput: details.cached_tokens,
    cacheWrite: details.cache_write_tokens,
  });
}
