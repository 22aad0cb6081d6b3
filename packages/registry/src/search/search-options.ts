import type { MatchedField, UsedSearchType } from '@winnow/contract';
import type { ToolFilter } from '../content/tool-filter.ts';
import type { ToolSummary } from '../tool-detail.ts';

/** How a query asks to be read. The last two ask for meaning, which falls back to keywords where there is no model. */
export const QUERY_TYPES = ['auto', 'keyword', 'regex', 'semantic', 'hybrid'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export interface SearchOptions {
  /** `auto` when it is missing. */
  readonly searchType?: QueryType;
  /** 0 to 100 results of this page, 10 when it is missing. */
  readonly pageSize?: number;
  /** 0 to 1,000 results over all pages, 1,000 when it is missing. */
  readonly limit?: number;
  readonly cursor?: string;
  readonly filter?: ToolFilter;
  /** Ids or model names of tools that are found in any case, as far as there is room under the limit. */
  readonly alwaysKeep?: readonly string[];
}

/** A tool that was found. */
export interface FoundTool extends ToolSummary {
  /** 0 to 1, within this search; 0 for a tool that is only kept or listed. */
  readonly relevanceScore: number;
  readonly matchedOn: readonly MatchedField[];
}

export interface SearchPage {
  readonly tools: readonly FoundTool[];
  /** Tools that matched, before the limit. */
  readonly totalMatches: number;
  /** Missing on the last page, and for a degraded search. */
  readonly nextCursor?: string;
  /** Nothing matched. */
  readonly noMatch: boolean;
  /** When nothing matched: namespaces whose names look like words of the query, at most 5. */
  readonly nearestNamespaces: readonly string[];
  readonly searchType: UsedSearchType;
  readonly requestedSearchType: QueryType;
  /** Of the content that was searched. */
  readonly version: number;
  readonly cache: 'hit' | 'miss';
  /** The searcher that could not answer, and why; the built-in one has stood in. */
  readonly degraded?: { readonly searcher: string; readonly reason: 'failed' | 'deadline' };
}
