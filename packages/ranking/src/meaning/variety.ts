import { dotProduct, type Int8Vector, lengthOf } from './int8-vector.ts';

/** Something that is ranked: the better, the higher its value. */
export interface Valued {
  readonly value: number;
  /** Undefined where it is not known. */
  readonly vector: Int8Vector | undefined;
}

/** What another one of the same meaning loses, where the best keyword score counts 1. From 0.1 to 0.3 all sets are the same within a few tenths of a point. */
const LIKENESS_WEIGHT = 0.2;

/** As far as people and agents look. */
const CHOSEN = 10;

/**
 * What each loses for being like better ones: {@link LIKENESS_WEIGHT} times its cosine with the one that it is most like of those chosen before it. They are chosen one by one,
 * always the one with the highest value after what it loses, {@link CHOSEN} of them, so that tools for several readings of a query come before further tools for one of
 * them. The first one loses nothing, nobody gains, and one without a vector loses as much as the others in the mean.
 *
 * Source: maximal marginal relevance, Carbonell & Goldstein 1998, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries".
 *
 * @param ranked best first. Takes a product of vectors for each of them and each that is chosen.
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
