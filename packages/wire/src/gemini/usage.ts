import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { objectsIn } from './read-contents.ts';

/** What two rounds have used together. */
export function sumUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  return byModality(sumCounts(earlier, later));
}

/** What a client is shown after one more round. */
export function showUsage(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  return byModality(shownCounts(earlier, later, shown));
}

/** Whether there are counts in it: some servers only say on whose account the response is until the last chunk. */
export function hasCounts(usage: unknown): usage is JsonObject {
  return isJsonObject(usage) && Object.values(usage).some((value) => typeof value === 'number');
}

/**
 * The provider counts thoughts beside what is said, and what its own tools have read beside the prompt. What the prompt cache held is in
 * the prompt's count, and is left out where it is nothing; writing to it is not counted.
 *
 * https://ai.google.dev/api/generate-content#UsageMetadata
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

/** Lists with one entry for each modality have only one after they were put together. */
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
