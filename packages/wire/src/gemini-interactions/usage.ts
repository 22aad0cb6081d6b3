import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import { type JsonObject, objectsIn } from '../json/json-splice.ts';

/** Returns the usage of two rounds together. */
export function sumUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  return byKind(sumCounts(earlier, later));
}

/** Returns the usage that a client sees after one more round. */
export function showUsage(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  return byKind(shownCounts(earlier, later, shown));
}

/**
 * Counts the tokens of a usage. The provider counts thoughts separately from the output, and the input of its
 * own tools separately from the prompt. Cache reads are part of the prompt's count; cache writes are not
 * reported.
 */
export function countTokens(usage: JsonObject): Usage {
  const cached = count(usage.total_cached_tokens);
  return toUsage({
    input: count(usage.total_input_tokens) + count(usage.total_tool_use_tokens),
    output: count(usage.total_output_tokens) + count(usage.total_thought_tokens),
    cachedInput: typeof usage.total_cached_tokens === 'number' ? cached : undefined,
  });
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0;
}

/** Merges the entries of each kind of content or grounding into one: lists have two after they are joined. */
function byKind(usage: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(usage).map(([name, value]) => [name, Array.isArray(value) ? mergeEntries(value) : value]),
  );
}

function mergeEntries(entries: readonly unknown[]): readonly unknown[] {
  const objects = objectsIn(entries);
  const kindOf = ({ modality, type }: JsonObject) => modality ?? type;
  if (objects.length < entries.length || objects.some((entry) => kindOf(entry) === undefined)) return entries;
  return [...Map.groupBy(objects, kindOf).values()].map((same) => same.reduce(sumCounts));
}
