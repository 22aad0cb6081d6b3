import type { Int8Vector } from './int8-vector.ts';

/** The vectors of one search, all of one model. */
export interface MeaningVectors {
  readonly query: Int8Vector;
  /** Vectors of the query's `tellingSentences`; absent if it has none, or they are unknown. */
  readonly sentences?: readonly Int8Vector[];
  /** In the order of the requested positions; undefined for a tool without a known vector. */
  readonly tools: readonly (Int8Vector | undefined)[];
}

/**
 * A source of vectors for one search.
 *
 * Contract: a rejection rejects the search; sources of services never reject. Returns undefined if vectors
 * are not available in time; the ranking then uses keywords only.
 */
export interface MeaningSource {
  vectorsOf(query: string, positions: readonly number[]): Promise<MeaningVectors | undefined>;
  /**
   * Returns the tools nearest to the query, among those that `has` admits and whose vectors are known,
   * nearest first. Undefined if the query's vector is not available in time, or there are too many tools to
   * scan. A source without this function never scans.
   */
  nearest?(query: string, search: NearestSearch): Promise<readonly NearTool[] | undefined>;
}

export interface NearestSearch {
  /** Maximum number of tools to return. */
  readonly most: number;
  readonly has: (position: number) => boolean;
  /**
   * Maximum number of vector components to scan; unlimited by default. A larger source is not scanned: it
   * returns no tools, and that does not count as missing vectors.
   */
  readonly within?: number;
}

export interface NearTool {
  readonly position: number;
  readonly cosine: number;
}

/** Catalogues with more tools are not scanned. */
export const MAX_LOOKED_THROUGH = 20_000;

/**
 * Minimum cosine for a near tool to count: chosen for small sentence models, whose unrelated texts stay below
 * it.
 */
export const LEAST_COSINE = 0.25;
