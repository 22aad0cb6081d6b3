import type { SearchRecord, SearchType } from '@winnow/contract';
import type { SearchableTools, SelectorOutcome } from '@winnow/selector-client';
import type { Span } from '@winnow/tracing';

export type { SearchableTools };

/** What a search came to, and the selector's part in it where one was asked. */
export type SearchOutcome = SelectorOutcome & {
  /** Whether meaning had a part in the order: in full, or not, because vectors did not come in time. Missing where it was not asked. */
  readonly meaning?: 'used' | 'degraded';
};

/** The name of an outcome, as records have it. */
export function outcomeName(outcome: SearchOutcome): Exclude<SearchRecord['outcome'], 'limit'> {
  if (!outcome.ok) return outcome.reason;
  return outcome.isNoMatch ? 'no_match' : 'found';
}

/** One question. */
export interface SearchRequest {
  readonly query: string;
  readonly searchable: SearchableTools;
  /** How the query is read; `auto` unless said. */
  readonly searchType?: SearchType;
  /** Most names to find, where it is not for the configuration to say. */
  readonly limit?: number;
  /** The id of the exchange that it belongs to. */
  readonly requestId: string;
  /** Its place in a trace; the selector goes on below it. */
  readonly span: Span;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** The searches by who answers them: this process, or a selector. */
export type Searches = Readonly<Record<'local' | 'selector', Search>>;

/**
 * Finds deferred tools by what a model asks for.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts; keeps nothing of the
 * request but what its own documentation says; a blank query is `empty_query` and asks nobody.
 */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;
