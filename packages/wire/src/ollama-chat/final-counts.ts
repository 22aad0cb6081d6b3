import type { Usage } from '../format/view.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { toUsage } from '../joining/to-usage.ts';
import type { JsonObject, MemberChanges } from '../json/json-splice.ts';

/** The counts of a response's last line: tokens, and times in nanoseconds. */
const TOKENS = ['prompt_eval_count', 'eval_count'] as const;
const DURATIONS = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const;

/** Returns the counts of a last line. */
export function countsIn(line: JsonObject): JsonObject {
  return pick(line, [...TOKENS, ...DURATIONS]);
}

/** Returns the counts that a client is shown after one more round: tokens as `usage` says, and the total time of all rounds. */
export function shownAfter(earlier: JsonObject, later: JsonObject, usage: UsageShown): JsonObject {
  return {
    ...shownCounts(pick(earlier, TOKENS), pick(later, TOKENS), usage),
    ...sumCounts(pick(earlier, DURATIONS), pick(later, DURATIONS)),
  };
}

/** Returns counts as members of a line; none for undefined. */
export function countMembers(counts: JsonObject = {}): MemberChanges {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, JSON.stringify(count)]));
}

/** Changes that take the counts out of a line that is not the last any more. */
export const NO_COUNTS: MemberChanges = Object.fromEntries(
  [...TOKENS, ...DURATIONS].map((name) => [name, undefined]),
);

/** Returns the tokens of the counts. For a prompt that was served from a cache, some versions report none. */
export function usageOf({ prompt_eval_count: input, eval_count: output }: JsonObject): Usage | undefined {
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return toUsage({ input, output });
}

function pick(line: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in line ? [[name, line[name]]] : [])));
}
