import { createRandom } from '@winnow/testkit';
import { mean } from '../summarize-times.ts';
import type { ValueById } from './measure-queries.ts';

/** The change in the values of the same queries from one run to another. */
export interface Comparison {
  /** Number of queries that both runs have. */
  readonly queries: number;
  /** Mean of after - before. */
  readonly difference: number;
  /** The 95 % interval of that mean. If it contains zero, the change may be chance. */
  readonly low: number;
  readonly high: number;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
}

const RESAMPLES = 2_000;
const SEED = 20_061;
/** Runs are rounded to five decimals; smaller differences count as equal. */
const SAME = 1e-6;

/**
 * Compares two runs query by query.
 *
 * The interval is a percentile bootstrap over the queries' differences, seeded, so that the same two runs
 * always give the same one. Source: Sakai 2006, "Evaluating evaluation metrics based on the bootstrap".
 */
export function compareValues(before: ValueById, after: ValueById): Comparison {
  const differences = Object.entries(after).flatMap(([id, value]) => {
    const earlier = before[id];
    return earlier === undefined ? [] : value - earlier;
  });
  const better = differences.filter((difference) => difference > SAME).length;
  const worse = differences.filter((difference) => difference < -SAME).length;
  return {
    queries: differences.length,
    difference: mean(differences),
    ...bootstrapInterval(differences),
    better,
    worse,
    equal: differences.length - better - worse,
  };
}

function bootstrapInterval(differences: readonly number[]): { low: number; high: number } {
  if (differences.length === 0) return { low: 0, high: 0 };
  const random = createRandom(SEED);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(differences.map(() => random.pick(differences))),
  ).sort((left, right) => left - right);
  return { low: means[RESAMPLES * 0.025] as number, high: means[RESAMPLES * 0.975 - 1] as number };
}
