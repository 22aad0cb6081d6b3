import type { JsonObject } from '../json/json-splice.ts';
import { sumCounts } from './sum-counts.ts';
import { addUp } from './to-usage.ts';

/** The usage that a client sees for several rounds: the size of the context, or the cost of all. */
export type UsageShown = 'last' | 'summed';

/** The names of input counts, in every provider's words; all other counts and all times belong to the output. */
const INPUT =
  /^(?!.*_duration$)(?:prompt|input|cache|cached|promptToken|toolUsePrompt|initialPrompt|tool_use|initial_input|total_(?:input|cached|tool_use)_)/;

/** The names of counts of input and output together. */
const TOTAL = /^(?:total_tokens|totalTokens|totalTokenCount)$/;

/**
 * Returns the usage that a client sees after one more round: the input of that round, which is the real size
 * of its context, and the output of all rounds. Agents read from the input how full their context is; a sum
 * of all rounds would be far too high.
 *
 * A total is the last round's total plus the output of earlier rounds. `earlier` is the usage shown so far.
 * With `summed`, all counts are added.
 */
export function shownCounts(earlier: JsonObject, later: JsonObject, shown: UsageShown): JsonObject {
  const summed = sumCounts(earlier, later);
  if (shown === 'summed') return summed;
  const entries = Object.entries(summed).map(
    ([name, sum]) => [name, shownValue(name, sum, earlier, later)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function shownValue(name: string, sum: unknown, earlier: JsonObject, later: JsonObject): unknown {
  if (INPUT.test(name)) return later[name] ?? (later[name] === null ? null : undefined);
  if (!TOTAL.test(name)) return sum;
  const [before, now] = [earlier[name], later[name]];
  if (typeof before !== 'number' || typeof now !== 'number') return now ?? before;
  return now + Math.max(0, before - inputOf(earlier));
}

/** The names of the input counts that a total contains, in every provider's words. */
const INPUTS_OF_TOTAL = [
  ['prompt_tokens'],
  ['input_tokens'],
  ['total_input_tokens', 'total_tool_use_tokens'],
  ['promptTokenCount'],
  ['inputTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'],
] as const;

/** Returns the input tokens that a total contains. */
function inputOf(usage: JsonObject): number {
  const names = INPUTS_OF_TOTAL.find((own) => own.some((name) => typeof usage[name] === 'number')) ?? [];
  return addUp(names.map((name) => usage[name]));
}
