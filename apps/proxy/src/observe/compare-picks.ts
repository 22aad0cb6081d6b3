import type { Agreement } from '@winnow/contract';

/**
 * Measures the agreement of two lists of distinct picks, best first. Symmetric. Two empty lists agree fully.
 *
 * Kendall's tau covers the picks in both lists: pairs in the same order minus pairs in the opposite order, as
 * a share of all pairs. Source: Kendall 1938, "A new measure of rank correlation", without ties, as ranks in
 * a list differ.
 */
export function comparePicks(left: readonly string[], right: readonly string[]): Agreement {
  const placeOnRight = new Map(right.map((name, place) => [name, place]));
  const places = left.flatMap((name) => placeOnRight.get(name) ?? []);
  const shared = places.length;
  const longer = Math.max(left.length, right.length);
  const either = left.length + right.length - shared;
  return {
    overlap: longer === 0 ? 1 : shared / longer,
    jaccard: either === 0 ? 1 : shared / either,
    ...(shared > 1 && { rankCorrelation: kendallTau(places) }),
  };
}

/** Returns Kendall's tau of ranks against their order in the list. */
function kendallTau(ranks: readonly number[]): number {
  let difference = 0;
  for (const [at, rank] of ranks.entries()) {
    for (const later of ranks.slice(at + 1)) difference += Math.sign(later - rank);
  }
  return difference / ((ranks.length * (ranks.length - 1)) / 2);
}
