import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * Counts the tokens of a usage. Cache reads and writes are part of the prompt's count. DeepSeek has its own
 * name for cached tokens.
 *
 * Source: https://developers.openai.com/api/docs/guides/prompt-caching,
 * https://api-docs.deepseek.com/guides/kv_cache
 */
export function countTokens(usage: JsonObject): Usage {
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return toUsage({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cachedInput: details.cached_tokens ?? usage.prompt_cache_hit_tokens,
    cacheWrite: details.cache_write_tokens,
  });
}
