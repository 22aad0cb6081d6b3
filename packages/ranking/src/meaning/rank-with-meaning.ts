import { LIMITS } from '@winnow/contract';
import { cutText } from '../cut-text.ts';
import type { Hit, RankerIndex, Ranking, RankOptions } from '../ranker.ts';
import { splitWords } from '../tokenize.ts';
import { meaningShares, meaningWeight } from './blend-meaning.ts';
import { cosine, type Int8Vector } from './int8-vector.ts';

/** The vectors that one search needs, all of one model. */
export interface MeaningVectors {
  readonly query: Int8Vector;
  /** In the order in which the positions were asked for; undefined where there is none. */
  readonly tools: readonly (Int8Vector | undefined)[];
}

/**
 * Where the vectors of one search come from.
 *
 * Contract: what it rejects with, the search rejects with; those of services never do. Undefined when they are not to be had in time; the order is then that of the keywords.
 */
export interface MeaningSource {
  vectorsOf(query: string, positions: readonly number[]): Promise<MeaningVectors | undefined>;
  /**
   * The tools that mean most nearly the same as the query, of those that `has` lets through and whose vectors are known, the nearest first. Undefined when the query's
   * vector is not to be had in time, or there are too many tools to look at each. A source without this function never looks.
   */
  nearest?(query: string, search: NearestSearch): Promise<readonly NearTool[] | undefined>;
}

export interface NearestSearch {
  /** Most tools to give. */
  readonly most: number;
  readonly has: (position: number) => boolean;
}

export interface NearTool {
  readonly position: number;
  readonly cosine: number;
}

/** Catalogues of more tools are not looked through one by one. */
export const MAX_LOOKED_THROUGH = 20_000;

/** How many of the best by keywords are ordered anew. */
export const RERANKED = 50;

/**
 * Ranks as an index does, and orders the first {@link RERANKED} anew by words and meaning:
 *
 *   keyword score / best keyword score + weight · (cosine − mean cosine) / (best cosine − mean cosine)
 *
 * Means and bests are over these tools. A tool without a vector has the first part alone. Scores are of the scale of the index, and the tools behind
 * keep theirs: whoever falls below the last one scores as that one. Meaning finds no tools that words do not find.
 *
 * Source: the fusion of scores as in Bruch et al. 2023, "An Analysis of Fusion Functions for Hybrid Retrieval", normalised by mean and best.
 */
export async function rankWithMeaning(
  index: RankerIndex,
  query: string,
  options: RankOptions,
  source: MeaningSource,
): Promise<Ranking> {
  const { limit, atOnce = limit } = options;
  const ranking = await index.rank(query, {
    ...options,
    limit: Math.max(limit, RERANKED),
    atOnce: Math.max(atOnce, RERANKED),
  });
  const first = ranking.hits.slice(0, RERANKED);
  if (first.length < 2) return cut(ranking, options);
  const vectors = await source.vectorsOf(
    query,
    first.map(({ position }) => position),
  );
  if (vectors?.tools.some((tool) => tool !== undefined) !== true) return cut(ranking, options);
  const hits = [...reorder(query, first, vectors), ...ranking.hits.slice(first.length)];
  return cut({ ...ranking, hits, by: 'hybrid' }, options);
}

function reorder(query: string, hits: readonly Hit[], { query: asked, tools }: MeaningVectors): Hit[] {
  const words = splitWords(cutText(query, LIMITS.keywordPatternChars)).length;
  const cosines = tools.map((tool) => tool && cosine(asked, tool));
  const shares = meaningShares(cosines, meaningWeight(words));
  const best = hits[0]!.score;
  const least = hits.at(-1)!.score / best;
  return hits
    .map((hit, place) => ({ hit, meaning: shares[place]!, blend: hit.score / best + shares[place]! }))
    .sort((left, right) => right.blend - left.blend)
    .map(({ hit, meaning, blend }) => ({ ...hit, score: best * Math.max(blend, least), meaning }));
}

/** What was asked for, of a ranking that may hold more. */
export function cut(ranking: Ranking, { limit, alsoPositions = [] }: RankOptions): Ranking {
  if (limit >= RERANKED) return ranking;
  const isWanted = new Set(alsoPositions);
  const hits = ranking.hits.filter(({ position }, place) => place < limit || isWanted.has(position));
  return { hits, totalMatches: ranking.totalMatches, ...(ranking.by && { by: ranking.by }) };
}
