import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** Whether a usage has counts. Before the last chunk, some servers only report the traffic type. */
export function hasCounts(usage: unknown): usage is JsonObject {
  return isJsonObject(usage) && Object.values(usage).some((value) => typeof value === 'number');
}

/**
 * Counts the tokens of a usage. The provider counts thoughts separately from the output, and the input of its
 * own tools separately from the prompt. Cache reads are part of the prompt's count, and are left out when
 * zero; cache writes are not reported.
 *
 * Source: https://ai.google.dev/api/generate-content#UsageMetadata
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: [usage.promptTokenCount, usage.toolUsePromptTokenCount],
    output: [usage.candidatesTokenCount, usage.thoughtsTokenCount],
    cachedInput: usage.cachedContentTokenCount ?? 0,
  });
}
