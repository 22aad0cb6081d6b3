/** What meaning adds to each of some tools: `weight · (cosine − mean) / (best − mean)`, so at most `weight`, and below 0 for tools that mean less than the average one. */
export function meaningShares(cosines: readonly (number | undefined)[], weight: number): number[] {
  const known = cosines.filter((cosine) => cosine !== undefined);
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  const spread = Math.max(...known) - mean;
  // A tool whose meaning is not known counts as an average one. Equal ones differ in rounding alone.
  return cosines.map((cosine) =>
    cosine === undefined || !(spread > SAME) ? 0 : (weight * (cosine - mean)) / spread,
  );
}

const SAME = 1e-9;

/** How much meaning counts where the best keyword score counts 1: the longer a query, the more of it its words say themselves. */
export function meaningWeight(words: number): number {
  return WEIGHTS.find(({ upTo }) => words <= upTo)!.weight;
}

/** Chosen on the six public sets that all parameters are chosen on; held-out ones gained as much. */
const WEIGHTS = [
  { upTo: 12, weight: 0.8 },
  { upTo: 30, weight: 0.5 },
  { upTo: Number.POSITIVE_INFINITY, weight: 0.25 },
] as const;
