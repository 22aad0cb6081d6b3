import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-splice.ts';

/** Returns the usage of two rounds together. */
export function sumUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  return byModality(sumCounts(earlier, later));
}

/** Returns the usage that a client sees after one more round. */
export function showUsage(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  return byModality(shownCounts(earlier, later, shown));
}

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
    input: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    output: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    cachedInput: count(usage.cachedContentTokenCount),
  });
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0;
}

/** Merges the entries of each modality into one: lists have two after they are joined. */
function byModality(usage: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(usage).map(([name, value]) => [name, Array.isArray(value) ? mergeEntries(value) : value]),
  );
}

function mergeEntries(entries: readonly unknown[]): readonly unknown[] {
  const objects = objectsIn(entries);
  if (objects.length < entries.length || objects.some(({ modality }) => modality === undefined))
    return entries;
  return [...Map.groupBy(objects, ({ modality }) => modality)].map(([modality, same]) => ({
    ...same.reduce(sumCounts),
    modality,
  }));
}
