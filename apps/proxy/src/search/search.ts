import type { SearchableTools, SelectorOutcome } from '@winnow/clients';
import type { SearchRecord, SearchType } from '@winnow/core';
import type { Span } from '@winnow/service';

export type { SearchableTools };

/** The outcome of a search, with details of the selector's response if there was one. */
export type SearchOutcome = SelectorOutcome;

/** Returns the name of an outcome in records. */
export function outcomeName(outcome: SearchOutcome): Exclude<SearchRecord['outcome'], 'limit'> {
  if (!outcome.ok) return outcome.reason;
  if (outcome.isNoMatch) return 'no_match';
  return outcome.isWeak ? 'weak' : 'found';
}

export interface SearchRequest {
  readonly query: string;
  readonly searchable: SearchableTools;
  /** Interpretation of the query; `auto` by default. */
  readonly searchType?: SearchType;
  /** Maximum number of names to find. */
  readonly limit: number;
  /** The id of the exchange that it belongs to. */
  readonly requestId: string;
  /** The parent span of the search and of the selector's spans. */
  readonly span: Span;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** The searches by their provider: this process or a selector. */
export type Searches = Readonly<Record<'local' | 'selector', Search>>;

/**
 * Finds deferred tools for a model's query.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts; keeps
 * nothing of the request beyond what the implementation documents; a blank query is `empty_query` and runs no
 * search.
 */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;
