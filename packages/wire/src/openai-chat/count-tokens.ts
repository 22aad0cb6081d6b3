import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * The tokens of a usage. What was read from the cache or written to it is in the prompt's count. DeepSeek has its own name for cached
 * tokens.
 *
 * https://developers.openai.com/api/docs/guides/prompt-caching, https://api-docs.deepseek.com/guides/kv_cache
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
