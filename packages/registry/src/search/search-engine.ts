import type { AskedConcept, TermPlace } from '@winnow/ranking';
import type { ToolFilter } from '../content/tool-filter.ts';

/** What is looked for among all tools of a scope. */
export interface EngineQuery {
  /** A tool matches with any term of any of these. */
  readonly concepts: readonly AskedConcept[];
  /** Names in lower case: a tool that has one matches too, and stands before all that have none. */
  readonly names: readonly string[];
  readonly filter: ToolFilter;
  /** Namespaces in sight; all of them when it is missing. */
  readonly namespaces?: readonly string[];
  /** Most hits, at least 1. */
  readonly limit: number;
  /** How many of these, at most the limit, must be the best of all; behind them, the best of what has the most telling terms will do. */
  readonly ranked: number;
  /** Ids that are given before others, if they match. */
  readonly alsoIds: readonly string[];
}

/** A tool that matched, as far as an engine knows. */
export interface EngineHit {
  readonly id: string;
  /** Roughly what the ranker would give; compares within one result. 0 for one that is named. */
  readonly score: number;
  readonly isNamed: boolean;
  /** Where it matches, when that is not by its terms. */
  readonly place?: TermPlace;
}

export interface EngineResult {
  /** First those that are named, in order of id, then those of `alsoIds`, then the best; equal ones in order of id. */
  readonly hits: readonly EngineHit[];
  /** Tools that matched, before the limit. */
  readonly totalMatches: number;
}

/**
 * Keeps the tools of one scope so that they can be searched without their being in an index of this process: written by the store with
 * the tools themselves, in the same transaction.
 *
 * Contract: filters count before the limit. What it finds may be a moment ahead of what this process has seen, when others write to the
 * store too. Rejects when it cannot answer.
 */
export interface SearchEngine {
  readonly name: string;
  find(query: EngineQuery): Promise<EngineResult>;
}
