import type { MatchedField } from '@winnow/contract';
import type { PackedTexts } from './text/text-table.ts';
import type { ToolDocument } from './tools/tool-document.ts';

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
   * Turns what `pack` gave back into the same index, on another thread, in next to no time. Present when the indexes can be packed.
   */
  unpack?(packed: PackedIndex): RankerIndex;
}

/** An index as plain data that `postMessage` can move between threads without copying its arrays. */
export type PackedIndex = Readonly<
  Record<string, string | number | Uint8Array | Uint32Array | Float32Array | PackedTexts>
>;

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
  /**
   * How much of a query the documents at some positions cover, from 0 to 1, comparable between queries; those that do not match are left out. Present
   * when the ranker can say.
   */
  cover?(query: string, positions: readonly number[]): ReadonlyMap<number, number>;
  /** The index as plain data; shares its arrays. Present when the ranker can `unpack` it; for an index that was built, not revised. */
  pack?(): PackedIndex;
  /** By position: 1 for a document that is not there. Missing when all are. To be read at once: after a pause it may say something else. */
  readonly absent?: Uint8Array | undefined;
  /** Present when the index can be revised. */
  readonly revisions?: RevisableIndex;
}

/**
 * An index from which another one is made at the cost of what differs.
 *
 * Contract: the index itself stays as it is. Scores are those of an index that is built of the same documents. Positions mean the same in all revisions of
 * one index, so that those of removed documents are left out and new documents get `nextPosition` and what follows; `compact` begins anew.
 */
export interface RevisableIndex {
  /** Position of the first document that the next revision adds. */
  readonly nextPosition: number;
  revise(change: IndexChange): RankerIndex;
  /** An index of its own of the documents at these positions, all of them present, in this order. */
  compact(order: Uint32Array): RankerIndex;
}

/** What becomes different. */
export interface IndexChange {
  /** Positions of documents that go; those that are gone already are not gone twice. */
  readonly removed: readonly number[];
  /** Documents that come. */
  readonly added: readonly ToolDocument[];
}

/** Below 0 when the first of two positions stands before the other one. */
export type ComparePositions = (left: number, right: number) => number;

export const byPosition: ComparePositions = (left, right) => left - right;

export interface RankOptions {
  /** Most hits to return, at least 1. */
  readonly limit: number;
  /** Positions whose hits are wanted even beyond `limit`, if they match at all. */
  readonly alsoPositions?: readonly number[];
  /** How many of the best are needed at once, at least 1: a ranker may leave the rest for `later`. All of them when it is missing. */
  readonly atOnce?: number;
  /**
   * By position: 1 for a document that is neither ranked nor counted among the matches. It stays in the statistics that scores are made of.
   * At least as long as the index has positions.
   */
  readonly excluded?: Uint8Array;
  /** Puts equals in order. By default, by position. What it refers to is kept as long as what `later` gives. */
  readonly compare?: ComparePositions;
}

export interface Ranking {
  /** Best first: the best `limit`, or `atOnce` where the rest is left for later, then those of `alsoPositions` that matched beyond. */
  readonly hits: readonly Hit[];
  /** The hits behind these, up to `limit` together with them. Missing when there are none. */
  readonly later?: LaterHits<Hit>;
  /** How many documents matched, before `limit`. */
  readonly totalMatches: number;
  /** What meaning had a part in; missing where it had none. */
  readonly by?: 'hybrid' | 'semantic';
}

/** Hits that are ordered and made when somebody asks. Holds a few bytes of each and nothing else of what was searched, so that it may be kept. */
export interface LaterHits<Of> {
  /** At least 1. */
  readonly count: number;
  /** Best first. The same whenever it is called, whatever has changed since the search. */
  make(): readonly Of[];
}

export interface Hit {
  readonly position: number;
  readonly score: number;
  /** Fields that hold at least one of the query's terms, in the order name, description, parameters. */
  readonly matchedOn: readonly MatchedField[];
  /** What meaning has added, as a share of the best keyword score; below 0 where it took. Missing where meaning was not looked at. */
  readonly meaning?: number;
}
