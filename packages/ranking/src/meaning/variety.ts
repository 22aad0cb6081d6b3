import { dotProduct, type Int8Vector, lengthOf } from './int8-vector.ts';

/** A ranked item; a higher value is better. */
export interface Valued {
  readonly value: number;
  /** Undefined if unknown. */
  readonly vector: Int8Vector | undefined;
}

/**
 * Loss of a duplicate in meaning, relative to the best keyword score. From 0.1 to 0.3 all sets agree within a
 * few tenths of a point.
 */
const LIKENESS_WEIGHT = 0.2;

/** Number of items that people and agents look at. */
const CHOSEN = 10;

/**
 * Returns the loss of each item for its likeness to better ones: {@link LIKENESS_WEIGHT} times its cosine
 * with the most similar item chosen before. {@link CHOSEN} items are chosen one by one, each with the highest
 * remaining value, so that tools for several readings of a query precede further tools for one of them. The
 * first one loses nothing, no item gains, and an item without a vector loses the mean of the others.
 *
 * Source: maximal marginal relevance, Carbonell & Goldstein 1998, "The Use of MMR, Diversity-Based Reranking
 * for Reordering Documents and Producing Summaries".
 *
 * @param ranked best first. Takes one dot product per item and chosen item.
 */
export function likenessLosses(ranked: readonly Valued[]): number[] {
  const losses = ranked.map(() => 0);
  const lengths = ranked.map(({ vector }) => (vector === undefined ? 0 : lengthOf(vector)));
  const left = new Set(ranked.keys());
  const worth = (place: number) => ranked[place]!.value - losses[place]!;
  for (let chosen = 0; chosen < CHOSEN && left.size > 1; chosen++) {
    const best = [...left].reduce((one, other) => (worth(other) > worth(one) ? other : one));
    left.delete(best);
    const likenesses = [...left].map((place) => {
      const [vector, other] = [ranked[place]!.vector, ranked[best]!.vector];
      if (vector === undefined || other === undefined || vector.length !== other.length) return undefined;
      return dotProduct(vector, other) / (lengths[place]! * lengths[best]!);
    });
    const known = likenesses.filter((likeness) => likeness !== undefined);
    const mean = known.length === 0 ? 0 : known.reduce((sum, likeness) => sum + likeness, 0) / known.length;
    [...left].forEach((place, at) => {
      losses[place] = Math.max(losses[place]!, LIKENESS_WEIGHT * (likenesses[at] ?? mean));
    });
  }
  return losses;
}
