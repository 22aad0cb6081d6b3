import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import type { JsonObject, MemberChanges } from '../json/json-splice.ts';

/** The counts in the last line of a response: tokens, and times in nanoseconds. */
const TOKENS = ['prompt_eval_count', 'eval_count'] as const;
const DURATIONS = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const;

/** Returns the counts of a last line, as far as it has them. */
export function countsIn(line: JsonObject): JsonObject {
  return pick(line, [...TOKENS, ...DURATIONS]);
}

/**
 * Returns the counts that a client sees after one more round: tokens according to `usage`, and the total time
 * of all rounds.
 */
export function shownAfter(earlier: JsonObject, later: JsonObject, usage: UsageShown): JsonObject {
  return {
    ...shownCounts(pick(earlier, TOKENS), pick(later, TOKENS), usage),
    ...sumCounts(pick(earlier, DURATIONS), pick(later, DURATIONS)),
  };
}

/** Returns the counts as members to write; none for undefined. */
export function countMembers(counts: JsonObject = {}): MemberChanges {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, JSON.stringify(count)]));
}

/** The changes that remove the counts from a line that is no longer the last. */
export const NO_COUNTS: MemberChanges = Object.fromEntries(
  [...TOKENS, ...DURATIONS].map((name) => [name, undefined]),
);

/** Returns the tokens of the counts. Some versions report no input tokens for a cached prompt. */
export function usageOf({ prompt_eval_count: input, eval_count: output }: JsonObject): Usage | undefined {
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return toUsage({ input, output });
}

function pick(line: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in line ? [[name, line[name]]] : [])));
}
