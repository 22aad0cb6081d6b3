import type { Usage } from '../format/view.ts';
import { type JsonObject, objectsIn } from '../json/json-splice.ts';
import { shownCounts, type UsageShown } from './shown-counts.ts';
import { sumCounts } from './sum-counts.ts';

/** The rules by which a format reads counts and adds up those of two rounds. */
export interface CountRules {
  readonly toUsage: (counts: JsonObject) => Usage | undefined;
  /** Returns the cost of both. */
  readonly sum: (earlier: JsonObject, later: JsonObject) => JsonObject;
  /** Returns the counts of both that a client sees. */
  readonly show: (earlier: JsonObject, later: JsonObject, shown: UsageShown) => JsonObject;
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
    show: (earlier, later, shown) => merged(shownCounts(earlier, later, shown)),
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
  readonly usageShown: UsageShown;
  /** The sum; undefined until a round has reported usage. */
  readonly total: JsonObject | undefined;
  /** The usage that the client sees. */
  readonly shown: JsonObject | undefined;

  constructor(
    rules: CountRules,
    usageShown: UsageShown,
    counts: { readonly total?: JsonObject | undefined; readonly shown?: JsonObject | undefined } = {},
  ) {
    this.#rules = rules;
    this.usageShown = usageShown;
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
    return this.#rules.show(this.shown, usage, this.usageShown);
  }

  /** Returns the usage after one more round. */
  after(usage: JsonObject | undefined): RoundsUsage {
    const counts = { total: this.totalWith(usage), shown: this.shownWith(usage) };
    return new RoundsUsage(this.#rules, this.usageShown, counts);
  }
}
