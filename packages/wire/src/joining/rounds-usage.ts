import type { Usage } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-value.ts';

/** The rules by which a format reads counts and adds up those of two rounds. */
export interface CountRules {
  readonly toUsage: (counts: JsonObject) => Usage | undefined;
  /** Returns the cost of both. */
  readonly sum: (earlier: JsonObject, later: JsonObject) => JsonObject;
  /** Returns the counts of both that a client sees. */
  readonly show: (earlier: JsonObject, later: JsonObject) => JsonObject;
}

/** Returns the rules of a format with plain numbers as counts. */
export function plainCounts(toUsage: CountRules['toUsage']): CountRules {
  return { toUsage, sum: sumCounts, show: shownCounts };
}

/**
 * Returns the rules of a format with lists of counts, one entry for each kind. Lists have two of a kind after
 * they are joined, which are merged.
 */
export function countsByKind(
  toUsage: CountRules['toUsage'],
  kindOf: (entry: JsonObject) => unknown,
): CountRules {
  const merged = (usage: JsonObject) =>
    Object.fromEntries(
      Object.entries(usage).map(([name, value]) => [
        name,
        Array.isArray(value) ? mergeEntries(value, kindOf) : value,
      ]),
    );
  return {
    toUsage,
    sum: (earlier, later) => merged(sumCounts(earlier, later)),
    show: (earlier, later) => merged(shownCounts(earlier, later)),
  };
}

function mergeEntries(entries: readonly unknown[], kindOf: (entry: JsonObject) => unknown) {
  const objects = objectsIn(entries);
  if (objects.length < entries.length || objects.some((entry) => kindOf(entry) === undefined)) return entries;
  return [...Map.groupBy(objects, kindOf).values()].map((same) => same.reduce(sumCounts));
}

/** The usage of the rounds of an exchange. Immutable: one more round creates another value. */
export class RoundsUsage {
  readonly #rules: CountRules;
  /** The sum; undefined until a round has reported usage. */
  readonly total: JsonObject | undefined;
  /** The usage that the client sees. */
  readonly shown: JsonObject | undefined;

  constructor(
    rules: CountRules,
    counts: { readonly total?: JsonObject | undefined; readonly shown?: JsonObject | undefined } = {},
  ) {
    this.#rules = rules;
    this.total = counts.total;
    this.shown = counts.shown;
  }

  /** Returns the sum including one more round's usage. */
  totalWith(usage: JsonObject | undefined): JsonObject | undefined {
    if (usage === undefined || this.total === undefined) return usage ?? this.total;
    return this.#rules.sum(this.total, usage);
  }

  /**
   * Returns the tokens of the sum including one more round's usage; undefined when no round has reported any.
   */
  tokensWith(usage: JsonObject | undefined): Usage | undefined {
    const total = this.totalWith(usage);
    return total && this.#rules.toUsage(total);
  }

  /** Returns the counts that the client sees, including one more round's usage. */
  shownWith(usage: JsonObject | undefined): JsonObject | undefined {
    if (usage === undefined || this.shown === undefined) return usage ?? this.shown;
    return this.#rules.show(this.shown, usage);
  }

  /** Returns the usage after one more round. */
  after(usage: JsonObject | undefined): RoundsUsage {
    const counts = { total: this.totalWith(usage), shown: this.shownWith(usage) };
    return new RoundsUsage(this.#rules, counts);
  }
}

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
 */
export function shownCounts(earlier: JsonObject, later: JsonObject): JsonObject {
  const summed = sumCounts(earlier, later);
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

/**
 * Returns the usage of two calls together, as if they had been one.
 *
 * Numbers are added at every depth, so that new counts of a provider are summed, too. Null and absent mean
 * "not reported" and add nothing. Lists, which have an entry for each call, are concatenated. For any other
 * value, the later one counts.
 */
export function sumCounts(earlier: JsonObject, later: JsonObject): JsonObject {
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return Object.fromEntries([...names].map((name) => [name, sum(earlier[name], later[name])]));
}

function sum(earlier: unknown, later: unknown): unknown {
  if (later === undefined || later === null) return earlier ?? later;
  if (typeof earlier === 'number' && typeof later === 'number') return earlier + later;
  if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
  return isJsonObject(earlier) && isJsonObject(later) ? sumCounts(earlier, later) : later;
}

/** Counts under a provider's own names; a value that is not a number was not reported. */
export interface ReportedCounts {
  /** All input tokens, including those of a prompt cache; counts of parts of it are added up. */
  readonly input: unknown;
  readonly output: unknown;
  readonly cachedInput?: unknown;
  readonly cacheWrite?: unknown;
  readonly longCacheWrite?: unknown;
}

/**
 * Returns the usage in these counts. Counts of the prompt cache that were not reported are absent, because
 * zero has another meaning.
 */
export function toUsage({ input, output, cachedInput, cacheWrite, longCacheWrite }: ReportedCounts): Usage {
  return {
    inputTokens: addUp(input),
    outputTokens: addUp(output),
    ...(typeof cachedInput === 'number' && { cachedInputTokens: cachedInput }),
    ...(typeof cacheWrite === 'number' && { cacheWriteTokens: cacheWrite }),
    ...(typeof longCacheWrite === 'number' && longCacheWrite > 0 && { longCacheWriteTokens: longCacheWrite }),
  };
}

/** Returns the sum of the counts that are numbers. */
function addUp(counts: unknown): number {
  if (typeof counts === 'number') return counts;
  const tokens = [counts].flat().filter((count) => typeof count === 'number');
  return tokens.reduce((sum, count) => sum + count, 0);
}
