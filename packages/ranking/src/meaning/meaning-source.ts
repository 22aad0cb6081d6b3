import type { Int8Vector } from './int8-vector.ts';

/** The vectors that one search needs, all of one model. */
export interface MeaningVectors {
  readonly query: Int8Vector;
  /** Of the query's `tellingSentences`; missing where it has none, or they are not known. */
  readonly sentences?: readonly Int8Vector[];
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
  /** Most numbers of vectors to look at. Where there are more, none is, which gives no tools and counts as no lack. As many as there are when it is missing. */
  readonly within?: number;
}

export interface NearTool {
  readonly position: number;
  readonly cosine: number;
}

/** Catalogues of more tools are not looked through one by one. */
export const MAX_LOOKED_THROUGH = 20_000;

/** Whoever is nearest, but not as near as this, says nothing: chosen for small sentence models, whose unrelated texts stay below. */
export const LEAST_COSINE = 0.25;
