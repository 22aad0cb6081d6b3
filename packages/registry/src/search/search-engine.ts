import type { AskedConcept, TermPlace } from '@winnow/ranking';
import type { ToolFilter } from '../content/tool-filter.ts';

/** A query over all tools of a scope. */
export interface EngineQuery {
  /** A tool matches by any term of any concept. */
  readonly concepts: readonly AskedConcept[];
  /** Names in lower case: a tool with one of them also matches, and comes before all others. */
  readonly names: readonly string[];
  readonly filter: ToolFilter;
  /** Namespaces in sight; all by default. */
  readonly namespaces?: readonly string[];
  /** Most hits, at least 1. */
  readonly limit: number;
  /** Number of exact best hits, at most the limit; later ones may come from the most distinctive terms alone. */
  readonly ranked: number;
  /** Ids to return before others, if they match. */
  readonly alsoIds: readonly string[];
}

/** A match found by an engine. */
export interface EngineHit {
  readonly id: string;
  /** Approximates the ranker's score; compares within one result. 0 for a named tool. */
  readonly score: number;
  readonly isNamed: boolean;
  /** The matched place, when the tool did not match by terms. */
  readonly place?: TermPlace;
}

export interface EngineResult {
  /** Named tools in order of id, then those of `alsoIds`, then the best; equal scores in order of id. */
  readonly hits: readonly EngineHit[];
  /** Number of matches, before the limit. */
  readonly totalMatches: number;
}

/**
 * Searches the tools of one scope without an index in this process. The store writes its data together with the tools, in
 * the same transaction.
 *
 * Contract: filters apply before the limit. Results may be ahead of this process when others write to the store. Rejects
 * when the search fails.
 */
export interface SearchEngine {
  readonly name: string;
  find(query: EngineQuery): Promise<EngineResult>;
}
