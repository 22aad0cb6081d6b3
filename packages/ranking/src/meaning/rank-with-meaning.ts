import { cutText, LIMITS } from '@winnow/core';
import {
  byPosition,
  type Hit,
  type LaterHits,
  type RankerIndex,
  type Ranking,
  type RankOptions,
} from '../ranker.ts';
import { splitWords } from '../text/tokenize.ts';
import {
  cosine,
  dotProduct,
  type Int8Vector,
  LEAST_COSINE,
  lengthOf,
  type MeaningSource,
  type NearestSearch,
  type NearTool,
  nearnessTo,
} from './meaning-source.ts';

/** Number of best keyword matches to reorder. */
export const RERANKED = 50;

/** Number of nearest tools to order along with them. Twice as many find nothing more. */
export const NEAREST = 10;

/** Maximum number of vector components to scan: 20,000 vectors of 384, in some 8 milliseconds. */
export const MAX_NUMBERS_LOOKED_AT = 20_000 * 384;

/**
 * Ranks like an index, and reorders the first {@link RERANKED} and the {@link NEAREST} by words and meaning:
 *
 *   keyword score / best keyword score + weight · (cosine − mean cosine) / spread of the cosines − likeness loss
 *
 * The second term is that of `meaningShares`, over these tools, with cosines by `nearnessTo` the query; the third
 * is that of `likenessLosses`. A tool without a vector has only the first term. A tool that no word finds has only
 * the second, and is included only if it is nearer than all of the first, from {@link LEAST_COSINE} on. If keywords
 * find nothing, the result is empty. Scores use the scale of the index, and the tools after the reordered ones keep
 * theirs; a reordered tool never scores below the last of the first. The nearest are not searched in catalogues above
 * {@link MAX_NUMBERS_LOOKED_AT}, or without `has`.
 *
 * Source: score fusion as in Bruch et al. 2023, "An Analysis of Fusion Functions for Hybrid Retrieval",
 * normalised by mean and best.
 */
export async function rankWithMeaning(
  index: RankerIndex,
  query: string,
  options: RankOptions & Partial<Pick<NearestSearch, 'has'>>,
  source: MeaningSource,
): Promise<Ranking> {
  const { limit, atOnce = limit, alsoPositions = [], has } = options;
  const look = { most: NEAREST, within: MAX_NUMBERS_LOOKED_AT };
  const near = (has && (await source.nearest?.(query, { ...look, has }))) ?? [];
  const ranking = await index.rank(query, {
    ...options,
    limit: Math.max(limit, RERANKED),
    atOnce: Math.max(atOnce, RERANKED),
    alsoPositions: [...alsoPositions, ...near.map(({ position }) => position)],
  });
  const first = ranking.hits.slice(0, RERANKED);
  const isAlone = first.length === 1 && near.every(({ position }) => position === first[0]!.position);
  if (first.length === 0 || isAlone) return cut(ranking, options);
  const vectors = await vectorsOf(query, { first, near }, source);
  const cosines = cosinesOf(first, vectors);
  if (cosines.size === 0) return cut(ranking, options);
  const nearer = withSentences(near, vectors);
  const beyond = hitsBeyond(ranking, { first, near: nearer, cosines });
  for (const tool of nearer) cosines.set(tool.position, tool.cosine);
  const isBeyond = new Set(beyond.map(({ position }) => position));
  const rest = ranking.hits.slice(first.length).filter(({ position }) => !isBeyond.has(position));
  const unmatched = beyond.filter(({ score }) => score === 0).length;
  return cut(
    {
      ...ranking,
      hits: [...reorder(query, { first, beyond, cosines, vectors: vectors.tools }), ...rest],
      totalMatches: ranking.totalMatches + unmatched,
      by: 'hybrid',
    },
    options,
  );
}

/** Known cosines of tools, by position. */
type Cosines = Map<number, number>;

/** Known vectors of a search, by position. */
interface Vectors {
  readonly nearness: ((tool: Int8Vector) => number | undefined) | undefined;
  readonly tools: ReadonlyMap<number, Int8Vector>;
}

/** The keyword ranking, and the nearest tools. */
interface FirstAndNear {
  /** The best keyword matches. */
  readonly first: readonly Hit[];
  readonly near: readonly NearTool[];
}

async function vectorsOf(
  query: string,
  { first, near }: FirstAndNear,
  source: MeaningSource,
): Promise<Vectors> {
  const positions = [...new Set([...first, ...near].map(({ position }) => position))];
  const vectors = await source.vectorsOf(query, positions);
  const tools = new Map<number, Int8Vector>();
  vectors?.tools.forEach((tool, place) => {
    if (tool !== undefined) tools.set(positions[place]!, tool);
  });
  return { nearness: vectors && nearnessTo(vectors), tools };
}

/** Returns the near tools with their sentences' nearness included. */
function withSentences(near: readonly NearTool[], vectors: Vectors): NearTool[] {
  const cosines = cosinesOf(near, vectors);
  return near.map(({ position, cosine }) => ({ position, cosine: cosines.get(position) ?? cosine }));
}

function cosinesOf(tools: readonly { readonly position: number }[], vectors: Vectors): Cosines {
  const cosines: Cosines = new Map();
  for (const { position } of tools) {
    const tool = vectors.tools.get(position);
    const known = tool && vectors.nearness?.(tool);
    if (known !== undefined) cosines.set(position, known);
  }
  return cosines;
}

/**
 * Returns the near tools that are not among the first: those that keywords find, and those that are nearer
 * than all of the first; the latter with a score of 0.
 */
function hitsBeyond(
  { hits }: Ranking,
  { first, near, cosines }: FirstAndNear & { readonly cosines: Cosines },
): Hit[] {
  const isFirst = new Set(first.map(({ position }) => position));
  const found = new Map(hits.map((hit) => [hit.position, hit]));
  const most = Math.max(...cosines.values());
  return near
    .filter(({ position }) => !isFirst.has(position))
    .flatMap(({ position, cosine }): Hit[] => {
      const hit = found.get(position);
      if (hit !== undefined) return [hit];
      return cosine > most && cosine >= LEAST_COSINE ? [{ position, score: 0, matchedOn: ['meaning'] }] : [];
    });
}

/** The reordered tools: at least one keyword match, best first. */
interface Reordered {
  readonly first: readonly Hit[];
  readonly beyond: readonly Hit[];
  readonly cosines: Cosines;
  readonly vectors: Vectors['tools'];
}

function reorder(query: string, { first, beyond, cosines, vectors }: Reordered): Hit[] {
  const words = splitWords(cutText(query, LIMITS.keywordPatternChars)).length;
  const hits = [...first, ...beyond];
  const known = hits.map(({ position }) => cosines.get(position));
  const shares = meaningShares(known, meaningWeight(words));
  const best = first[0]!.score;
  const least = first.at(-1)!.score / best;
  const blended = hits
    .map((hit, place) => ({ hit, share: shares[place]!, value: hit.score / best + shares[place]! }))
    .sort((left, right) => right.value - left.value)
    .map((tool) => ({ ...tool, vector: vectors.get(tool.hit.position) }));
  const losses = likenessLosses(blended);
  return blended
    .map(({ hit, share }, place): Hit & { meaning: number } => ({ ...hit, meaning: share - losses[place]! }))
    .map((hit) => ({ ...hit, score: hit.score / best + hit.meaning }))
    .sort((left, right) => right.score - left.score)
    .map((hit) => {
      const cosine = cosines.get(hit.position);
      return { ...hit, score: best * Math.max(hit.score, least), ...(cosine !== undefined && { cosine }) };
    });
}

/** Cuts a ranking to the requested hits. */
export function cut(ranking: Ranking, { limit, alsoPositions = [] }: RankOptions): Ranking {
  const isWanted = new Set(alsoPositions);
  const hits = ranking.hits.filter(({ position }, place) => place < limit || isWanted.has(position));
  const { later, totalMatches, by } = ranking;
  return { hits, ...(limit >= RERANKED && later && { later }), totalMatches, ...(by && { by }) };
}

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

/**
 * Ranks by meaning alone: the best {@link RERANKED} tools by keywords and as many of the nearest tools are
 * ordered by their cosines; other keyword matches follow in their order. If meaning is inconclusive or
 * unavailable in time, ranks like `rankWithMeaning`.
 *
 * Scores are shares, 0 to 1: (1 + cosine) / 2.
 */
export async function rankByMeaning(
  index: RankerIndex,
  query: string,
  options: RankOptions & Pick<NearestSearch, 'has'>,
  source: MeaningSource,
): Promise<Ranking> {
  const { limit, atOnce = limit, alsoPositions = [], has } = options;
  const nearest = await source.nearest?.(query, { most: RERANKED, has });
  if (nearest === undefined) return rankWithMeaning(index, query, options, source);
  const ranking = await index.rank(query, {
    ...options,
    limit: Math.max(limit, RERANKED),
    atOnce: Math.max(atOnce, RERANKED),
    alsoPositions: [...alsoPositions, ...nearest.map(({ position }) => position)],
  });
  const cosines = new Map(nearest.map((tool) => [tool.position, tool.cosine]));
  const first = ranking.hits.slice(0, RERANKED).map(({ position }) => position);
  const vectors = first.length > 0 ? await source.vectorsOf(query, first) : undefined;
  vectors?.tools.forEach((tool, place) => {
    const near = tool && cosine(vectors.query, tool);
    if (near !== undefined) cosines.set(first[place]!, near);
  });
  if (![...cosines.values()].some((near) => near >= LEAST_COSINE))
    return rankWithMeaning(index, query, options, source);
  return cut(orderByMeaning(ranking, cosines, options), options);
}

function orderByMeaning(
  ranking: Ranking,
  cosines: ReadonlyMap<number, number>,
  { limit, compare = byPosition }: RankOptions,
): Ranking {
  const found = new Map(ranking.hits.map((hit) => [hit.position, hit]));
  const near = [...cosines]
    .sort(([left, one], [right, other]) => other - one || compare(left, right))
    .map(([position, cosine]): Hit => {
      const matchedOn = found.get(position)?.matchedOn ?? ['meaning'];
      return { position, score: (1 + Math.max(cosine, LEAST_SHARE - 1)) / 2, matchedOn };
    });
  // Tools without a vector follow, with lower scores in proportion to their keyword scores.
  const ceiling = near.at(-1)!.score;
  const best = ranking.hits[0]?.score ?? 1;
  const below = (hit: Hit): Hit => ({ ...hit, score: (ceiling * hit.score) / best });
  const rest = ranking.hits.filter(({ position }) => !cosines.has(position)).map(below);
  const unmatched = near.filter(({ position }) => !found.has(position)).length;
  const hits = [...near, ...rest];
  const later = laterBelow(ranking.later, below, limit - hits.length);
  return { hits, ...(later && { later }), totalMatches: ranking.totalMatches + unmatched, by: 'semantic' };
}

/** Scores must not be zero. */
const LEAST_SHARE = 1e-6;

function laterBelow(
  later: LaterHits<Hit> | undefined,
  below: (hit: Hit) => Hit,
  most: number,
): LaterHits<Hit> | undefined {
  if (later === undefined || most <= 0) return undefined;
  return {
    count: Math.min(later.count, most),
    make: () => later.make().slice(0, most).map(below),
  };
}
