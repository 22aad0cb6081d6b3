import type { MatchedField } from '@winnow/core';
import type { ToolDocument } from './tools/tool-document.ts';

/**
 * A way to rank tools by how well they match a query.
 *
 * Contract, tested for every ranker by `test/ranker-contract.ts`:
 * - `build` accepts any documents, including none, never throws, and does not retain the array.
 * - Positions are indexes into the documents given to `build`.
 */
export interface Ranker {
  readonly name: string;
  build(documents: readonly ToolDocument[]): RankerIndex;
}

/**
 * An immutable index.
 *
 * Contract: `rank` is safe to call concurrently, deterministic, and never rejects. Scores are finite,
 * positive and comparable within one ranking only; equal scores keep document order. A query without known
 * terms gives an empty ranking.
 */
export interface RankerIndex {
  /** Number of documents. */
  readonly size: number;
  /** Approximate memory held, in bytes. */
  readonly bytes: number;
  rank(query: string, options: RankOptions): Promise<Ranking>;
  /**
   * Returns the share of a query that the documents at some positions cover, from 0 to 1, comparable between
   * queries; documents that do not match are left out. Present if the ranker supports it.
   */
  cover?(query: string, positions: readonly number[]): ReadonlyMap<number, number>;
  /**
   * Returns the confidence in documents that match a query, and the words of the query, as written, that no
   * document contains in any form. Ends with the first document whose confidence is `enough`. Present if the
   * ranker supports it.
   */
  judge?(query: string, positions: readonly number[], enough?: number): QueryJudgement;
  /**
   * By position: 1 for an absent document. Undefined if none is absent. Read it immediately: it may change
   * during a pause.
   */
  readonly absent?: Uint8Array | undefined;
  /** Present if the index can be revised. */
  readonly revisions?: RevisableIndex;
}

/**
 * An index from which others derive, at the cost of the changes.
 *
 * Contract: the index itself is unchanged. Scores equal those of an index built from the same documents.
 * Positions keep their meaning in all revisions: those of removed documents are skipped, and new documents
 * start at `nextPosition`; `compact` starts again from 0.
 */
export interface RevisableIndex {
  /** Position of the first document that the next revision adds. */
  readonly nextPosition: number;
  revise(change: IndexChange): RankerIndex;
  /** Returns an independent index of the documents at these positions, all of them present, in this order. */
  compact(order: Uint32Array): RankerIndex;
}

/** A set of changes. */
export interface IndexChange {
  /** Positions of documents to remove; absent ones are ignored. */
  readonly removed: readonly number[];
  /** Documents to add. */
  readonly added: readonly ToolDocument[];
}

/** The confidence in one document, from 0 to 1, comparable between queries and indexes. */
export interface Judgement {
  readonly position: number;
  readonly confidence: number;
}

export interface QueryJudgement {
  /** One per position, in the same order, up to the first whose confidence is enough. */
  readonly judgements: readonly Judgement[];
  /** Returns the words of the query, as written, that no document contains in any form. */
  readonly unknownWords: () => readonly string[];
}

/** Returns a negative number if the first of two positions precedes the second. */
export type ComparePositions = (left: number, right: number) => number;

export const byPosition: ComparePositions = (left, right) => left - right;

export interface RankOptions {
  /** Maximum number of hits, at least 1. */
  readonly limit: number;
  /** Positions whose hits are returned even beyond `limit`, if they match. */
  readonly alsoPositions?: readonly number[];
  /**
   * Number of best hits needed immediately, at least 1: a ranker may leave the rest for `later`. All by
   * default.
   */
  readonly atOnce?: number;
  /**
   * By position: 1 for a document that is neither ranked nor counted as a match. It remains in the statistics
   * behind the scores. Covers at least all positions of the index.
   */
  readonly excluded?: Uint8Array;
  /** Orders ties; by position by default. Its closure is retained as long as `later`. */
  readonly compare?: ComparePositions;
}

export interface Ranking {
  /**
   * Best first: the best `limit`, or `atOnce` if the rest is left for later, followed by further matches of
   * `alsoPositions`.
   */
  readonly hits: readonly Hit[];
  /** The remaining hits, up to `limit` in total. Absent if there are none. */
  readonly later?: LaterHits<Hit>;
  /** Number of matching documents, before `limit`. */
  readonly totalMatches: number;
  /** The kind of meaning in the ranking; absent without meaning. */
  readonly by?: 'hybrid' | 'semantic';
}

/**
 * Hits that are sorted and created on demand. Holds a few bytes per hit and nothing else of the search, so
 * that it may be kept.
 */
export interface LaterHits<Of> {
  /** At least 1. */
  readonly count: number;
  /** Returns the hits, best first. Every call returns the same, whatever has changed since the search. */
  make(): readonly Of[];
}

export interface Hit {
  readonly position: number;
  readonly score: number;
  /** Fields that contain a term of the query, in the order name, description, parameters. */
  readonly matchedOn: readonly MatchedField[];
  /**
   * The amount that meaning added, relative to the best keyword score; negative if it lowered the score.
   * Absent if meaning was not used.
   */
  readonly meaning?: number;
  /** The nearness of the tool to the query by meaning. Absent if it is not known. */
  readonly cosine?: number;
  /** The confidence in the hit, from 0 to 1, comparable between searches. Absent if it was not judged. */
  readonly confidence?: number;
}

/**
 * Yields to other work of the process; the edge provides it, because this package has no timers. May reject
 * to cancel a search that is no longer needed; the rejection reaches the caller.
 */
export type Pause = () => Promise<void>;

/** A pause for callers without other work. */
export const noPause: Pause = () => Promise.resolve();
