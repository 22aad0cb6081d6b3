import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/**
 * Counts the tokens of a usage. Cache reads and cache writes are input too, but the provider counts them
 * separately.
 *
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function countTokens(usage: JsonObject): Usage {
  const byLifetime = isJsonObject(usage.cache_creation) ? usage.cache_creation : {};
  return toUsage({
    input: [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens],
    output: usage.output_tokens,
    cachedInput: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    longCacheWrite: byLifetime.ephemeral_1h_input_tokens,
  });
}
