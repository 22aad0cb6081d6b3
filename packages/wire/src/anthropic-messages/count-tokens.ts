import type { JsonObject } from '../json-splice.ts';
import type { Usage } from '../view.ts';

/** The tokens of a usage. What was read from the cache or written to it is input too, and is counted apart. */
export function countTokens(usage: JsonObject): Usage {
  const count = (key: string) => (typeof usage[key] === 'number' ? usage[key] : 0);
  return {
    inputTokens:
      count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens'),
    outputTokens: count('output_tokens'),
  };
}
