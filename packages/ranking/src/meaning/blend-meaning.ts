/**
 * Returns the amount that meaning adds to each tool: `weight · (cosine − mean) / spread`, so at most
 * `weight`, and negative for tools below the average.
 *
 * The spread is `best − mean`, but at least {@link LEAST_SPREAD} of the distance from the mean to 1. If all
 * tools mean nearly the same, as in a short list for one purpose, differences between their cosines are noise
 * and must not count as much as those between tools for different purposes. The bound is relative, because
 * models differ in how close they place all texts.
 */
export function meaningShares(cosines: readonly (number | undefined)[], weight: number): number[] {
  const known = cosines.filter((cosine) => cosine !== undefined);
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  const differs = Math.max(...known) - mean > SAME;
  const spread = Math.max(Math.max(...known) - mean, LEAST_SPREAD * (1 - mean));
  // A tool without a known vector counts as average. Equal cosines differ only by rounding.
  return cosines.map((cosine) =>
    cosine === undefined || !differs ? 0 : (weight * (cosine - mean)) / spread,
  );
}

const SAME = 1e-9;

/** Chosen on the tool lists that come with queries; from 0.3 to 0.4, all sets agree within a point. */
const LEAST_SPREAD = 0.35;

/**
 * Returns the weight of meaning relative to the best keyword score: the longer a query, the more its words
 * say on their own. Falls linearly from {@link SHORT} to {@link LONG}.
 */
export function meaningWeight(words: number): number {
  const share = Math.min(1, Math.max(0, (words - SHORT.words) / (LONG.words - SHORT.words)));
  return SHORT.weight + share * (LONG.weight - SHORT.weight);
}

/** Chosen on the six public sets on which all parameters are chosen; held-out sets gained as much. */
const SHORT = { words: 5, weight: 0.8 } as const;
const LONG = { words: 45, weight: 0.25 } as const;
