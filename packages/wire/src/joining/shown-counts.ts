import type { JsonObject } from '../json/json-splice.ts';
import { sumCounts } from './sum-counts.ts';

/** Which usage a client is shown of several rounds: what the context holds, or what all of them have cost. */
export type UsageShown = 'last' | 'summed';

/** Counts of what a model is given, in every provider's words; whatever else is counted belongs to what it makes of it. */
const INPUT =
  /^(?:prompt|input|cache|cached|promptToken|toolUsePrompt|initialPrompt|tool_use|initial_input|total_(?:input|cached|tool_use)_)/;

/** Counts of both sides together. */
const TOTAL = /^(?:total_tokens|totalTokens|totalTokenCount)$/;

/**
 * The usage that a client is shown after one more round: the input side of that round, which is what its context really holds, and the
 * output side of all. Agents read from the input how full their context is; a sum of all rounds would tell them that it is full long before.
 *
 * A total is the last round's, with the output side of the rounds before. `earlier` is what was shown until then. With `summed`, everything is
 * added up.
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

/** Tokens of the input side that a total contains. */
function inputOf(usage: JsonObject): number {
  const { total_input_tokens: prompt, total_tool_use_tokens: read } = usage;
  if (typeof prompt === 'number') return prompt + (typeof read === 'number' ? read : 0);
  const input = usage.prompt_tokens ?? usage.input_tokens ?? usage.inputTokens ?? usage.promptTokenCount;
  return typeof input === 'number' ? input : 0;
}
