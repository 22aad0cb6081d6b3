import type { MatchedField, UsedSearchType } from '@winnow/core';
import type { Certainty } from '@winnow/ranking';
import type { ToolFilter } from '../content/tool-filter.ts';
import type { ToolSummary } from '../describe-tool.ts';
import type { Degradation } from './searcher.ts';

/** Ways to read a query. The last two rank by meaning, and fall back to keywords without a model. */
export const QUERY_TYPES = ['auto', 'keyword', 'regex', 'semantic', 'hybrid'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export interface SearchOptions {
  /** `auto` by default. */
  readonly searchType?: QueryType;
  /** Results of this page, 0 to 100; 10 by default. */
  readonly pageSize?: number;
  /** Results over all pages, 0 to 1,000; 1,000 by default. */
  readonly limit?: number;
  readonly cursor?: string;
  readonly filter?: ToolFilter;
  /** Ids or model names of tools that are always found, within the limit. */
  readonly alwaysKeep?: readonly string[];
}

export interface FoundTool extends ToolSummary {
  /** 0 to 1, relative to this search; 0 for a tool that is only kept or listed. */
  readonly relevanceScore: number;
  readonly matchedOn: readonly MatchedField[];
  /** 0 to 1, comparable between searches; absent for exact names, patterns, meaning, and all but the best ten. */
  readonly confidence?: number;
}

/** The result of one of several queries: the best tools, at most three. */
export interface QueryResult extends Pick<SearchPage, 'tools' | 'certainty' | 'unknownWords'> {}

export interface SearchPage {
  readonly tools: readonly FoundTool[];
  /** Number of matches, before the limit. */
  readonly totalMatches: number;
  /** Missing on the last page, and for a degraded search. */
  readonly nextCursor?: string;
  /** Whether nothing matched. */
  readonly noMatch: boolean;
  /**
   * `found` if a tool for the query is among the matches, as far as can be told; `weak` if all of them share so little with it
   * that none may be what was meant; `none` if nothing matched.
   */
  readonly certainty: Certainty;
  /** Unless `found`: words of the query that no tool in sight contains, at most 8. */
  readonly unknownWords: readonly string[];
  /** Unless `found`: at most 5 namespaces whose names resemble words of the query. */
  readonly nearestNamespaces: readonly string[];
  /** The results of several queries, in their order; absent for one. */
  readonly byQuery?: readonly QueryResult[];
  readonly searchType: UsedSearchType;
  readonly requestedSearchType: QueryType;
  /** Version of the searched content. */
  readonly version: number;
  readonly cache: 'hit' | 'miss';
  /** The searcher that failed, and the reason; the built-in one took over. */
  readonly degraded?: Degradation;
}
