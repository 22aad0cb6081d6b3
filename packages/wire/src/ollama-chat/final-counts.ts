import type { Usage } from '../format/view.ts';
import { toUsage } from '../joining/to-usage.ts';
import type { JsonObject, MemberChanges } from '../json/json-splice.ts';

/** The counts in the last line of a response: tokens, and times in nanoseconds. */
const COUNTS = [
  'prompt_eval_count',
  'eval_count',
  'total_duration',
  'load_duration',
  'prompt_eval_duration',
  'eval_duration',
];

/** Returns the counts of a last line, as far as it has them. */
export function countsIn(line: JsonObject): JsonObject {
  return Object.fromEntries(COUNTS.flatMap((name) => (name in line ? [[name, line[name]]] : [])));
}

/** Returns the counts as members to write; none for undefined. */
export function countMembers(counts: JsonObject = {}): MemberChanges {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, JSON.stringify(count)]));
}

/** The changes that remove the counts from a line that is no longer the last. */
export const NO_COUNTS: MemberChanges = Object.fromEntries(COUNTS.map((name) => [name, undefined]));

/** Returns the tokens of the counts. Some versions report no input tokens for a cached prompt. */
export function usageOf({ prompt_eval_count: input, eval_count: output }: JsonObject): Usage | undefined {
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return toUsage({ input, output });
}
