import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { objectsIn } from './read-steps.ts';

/** What two rounds have used together. */
export function sumUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  return byKind(sumCounts(earlier, later));
}

/** What a client is shown after one more round. */
export function showUsage(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  return byKind(shownCounts(earlier, later, shown));
}

/**
 * Thoughts are counted beside what is said, and what the provider's own tools have read beside the prompt. What the prompt cache held is in the
 * prompt's count; writing to it is not counted.
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

/** Lists with one entry for each kind of content, or of grounding, have only one after they were put together. */
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

/** The counts in a value; undefined where there are none. */
export function countsIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
