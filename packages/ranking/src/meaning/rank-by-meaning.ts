import {
  byPosition,
  type Hit,
  type LaterHits,
  type RankerIndex,
  type Ranking,
  type RankOptions,
} from '../ranker.ts';
import { cosine, LEAST_COSINE, type MeaningSource, type NearestSearch } from './meaning-source.ts';
import { cut, RERANKED, rankWithMeaning } from './rank-with-meaning.ts';

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
