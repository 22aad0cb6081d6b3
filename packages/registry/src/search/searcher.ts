import type { MatchedField, SearchType, UsedSearchType } from '@winnow/contract';
import type { LaterHits } from '@winnow/ranking';
import type { ToolFilter } from '../content/tool-filter.ts';
import type { StoredTool } from '../model/tool.ts';

/** What is searched for. */
export interface SearcherQuery {
  /** Text, keywords, a regular expression, a glob, or exact names; never blank. */
  readonly text: string;
  readonly searchType: SearchType;
  /** Tools that may be found; all of them when it is missing. The others are not ranked and not counted. */
  readonly allows?: (tool: StoredTool) => boolean;
  /** What `allows` says, as data, for a searcher that has others look: the filter, and the namespaces in sight unless all are. */
  readonly filter: ToolFilter;
  readonly namespaces?: readonly string[];
  /** Equal for filters that allow the same; empty when there is none. */
  readonly filterKey: string;
  /** Most hits, at least 1. */
  readonly limit: number;
  /** Ids whose hits are wanted even beyond the limit, if they match at all. */
  readonly alsoIds: readonly string[];
  /** How many of the best are needed at once, at least 1; the rest may be left for `later`. All of them when it is missing. */
  readonly atOnce?: number;
}

/** A tool that matched. */
export interface SearcherHit {
  readonly id: string;
  /** Above 0; compares within one result. Tools that the query names come first, whatever their scores. */
  readonly score: number;
  readonly matchedOn: readonly MatchedField[];
}

export interface SearcherResult {
  /** Best first: the best `limit`, then those of `alsoIds` that matched beyond it. */
  readonly hits: readonly SearcherHit[];
  /** The hits behind these, up to the limit, where some were left for later. */
  readonly later?: LaterHits<SearcherHit>;
  /** How many tools matched, before `limit`. */
  readonly totalMatches: number;
  /** How the text was read in the end. */
  readonly searchType: UsedSearchType;
  /** Present when the order was to follow meaning too, and some of it was not known in time: asked again, the order may be another one. */
  readonly isPartial?: true;
}

/** Tools that came, changed or went, in one change. */
export interface SearcherChange {
  readonly upserts: readonly StoredTool[];
  readonly removals: readonly string[];
}

/**
 * Orders the tools of one scope by how well they fit a query.
 *
 * Contract, proved for every searcher by `test/searcher-contract.ts`:
 * - Deterministic, but for results that are partial: the same tools and the same query give the same result, however the tools came to be there. Equal scores
 *   stand in order of id.
 * - Tools whose names, ids or model names stand in the text come first, in the order in which they are written.
 * - What the query does not allow is neither ranked nor counted, and takes no one's place under the limit.
 * - A search sees all changes applied before it began, and none that come while it runs.
 * - May reject, and then another searcher is asked; stops early when the signal aborts.
 */
export interface Searcher {
  readonly name: string;
  readonly deterministic: true;
  /** Memory held, in bytes, roughly. */
  readonly bytes: number;
  /** Does ahead what it can do with tools that are about to be applied, as they are. May be left out; changes nothing that is found. */
  readAhead?(tools: readonly StoredTool[]): void;
  apply(change: SearcherChange): void;
  search(query: SearcherQuery, signal: AbortSignal): Promise<SearcherResult>;
}
