import type { MatchedField } from '@winnow/contract';
import type { ToolDocument } from './document.ts';
import type { Pause } from './pause.ts';

/**
 * A way to order tools by how well they fit a query.
 *
 * Contract, proved for every ranker by `test/ranker-contract.ts`:
 * - `build` takes any documents, none and one included, never throws, and keeps no reference to the array.
 * - Positions are indexes into the documents that were built.
 */
export interface Ranker {
  readonly name: string;
  build(documents: readonly ToolDocument[]): RankerIndex;
  /**
   * Turns what `pack` gave back into the same index, on another thread, pausing often. Present when the indexes can be packed.
   */
  unpack?(packed: PackedIndex, pause: Pause): Promise<RankerIndex>;
}

/** An index as plain data that `postMessage` can move between threads without copying its arrays. */
export type PackedIndex = Readonly<Record<string, string | number | Uint8Array | Uint32Array | Float32Array>>;

/**
 * A built, immutable index.
 *
 * Contract: `rank` is safe to call concurrently, deterministic, and never rejects. Scores are finite, positive and compare
 * within one ranking only; equal scores keep document order. A query in which nothing is known gives an empty ranking.
 */
export interface RankerIndex {
  /** Number of documents. */
  readonly size: number;
  /** Memory held, in bytes, roughly. */
  readonly bytes: number;
  rank(query: string, options: RankOptions): Promise<Ranking>;
  /** The index as plain data; shares its arrays. Present when the ranker can `unpack` it. */
  pack?(): PackedIndex;
}

export interface RankOptions {
  /** Most hits to return, at least 1. */
  readonly limit: number;
  /** Positions whose hits are wanted even beyond `limit`, if they match at all. */
  readonly alsoPositions?: readonly number[];
}

export interface Ranking {
  /** Best first: the best `limit`, then those of `alsoPositions` that matched beyond it. */
  readonly hits: readonly Hit[];
  /** How many documents matched, before `limit`. */
  readonly totalMatches: number;
}

export interface Hit {
  readonly position: number;
  readonly score: number;
  /** Fields that hold at least one of the query's terms, in the order name, description, parameters. */
  readonly matchedOn: readonly MatchedField[];
}
