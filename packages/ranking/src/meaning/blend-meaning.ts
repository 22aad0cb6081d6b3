/**
 * What meaning adds to each of some tools: `weight · (cosine − mean) / spread`, so at most `weight`, and below 0 for tools that mean less than the average one.
 *
 * The spread is `best − mean`, but at least {@link LEAST_SPREAD} of what is left from the mean to 1. Where all tools mean nearly the same, as in a short list of tools for one
 * purpose, the differences between their cosines are chance, and must not count as much as those between tools for different purposes. A share of what is left, as models
 * differ in how near they put all texts to one another.
 */
export function meaningShares(cosines: readonly (number | undefined)[], weight: number): number[] {
  const known = cosines.filter((cosine) => cosine !== undefined);
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  const differs = Math.max(...known) - mean > SAME;
  const spread = Math.max(Math.max(...known) - mean, LEAST_SPREAD * (1 - mean));
  // A tool whose meaning is not known counts as an average one. Equal ones differ in rounding alone.
  return cosines.map((cosine) =>
    cosine === undefined || !differs ? 0 : (weight * (cosine - mean)) / spread,
  );
}

const SAME = 1e-9;

/** Chosen on the lists that come with queries; from 0.3 to 0.4 they and all other sets are the same within a point. */
const LEAST_SPREAD = 0.35;

/**
 * How much meaning counts where the best keyword score counts 1: the longer a query, the more of it its words say themselves. Falls in a line from {@link SHORT} words on to
 * {@link LONG}.
 */
export function meaningWeight(words: number): number {
  const share = Math.min(1, Math.max(0, (words - SHORT.words) / (LONG.words - SHORT.words)));
  return SHORT.weight + share * (LONG.weight - SHORT.weight);
}

/** Chosen on the six public sets that all parameters are chosen on; held-out ones gained as much. */
const SHORT = { words: 5, weight: 0.8 } as const;
const LONG = { words: 45, weight: 0.25 } as const;
