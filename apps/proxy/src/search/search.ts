import type { SearchFailure, Tool } from '@winnow/contract';
import type { Span } from '@winnow/tracing';

/** What a search came to. A search never throws. */
export type SearchOutcome =
  | {
      readonly ok: true;
      /** Names of deferred tools, most relevant first, each once. */
      readonly names: readonly string[];
      /** Nothing matched: the names, if any, are there only to be kept. */
      readonly isNoMatch: boolean;
    }
  | { readonly ok: false; readonly reason: SearchFailure };

/** Deferred tools, to be searched again and again. */
export interface SearchableTools {
  /** Hash over the tools: equal for equal tools, in this and in later exchanges. */
  readonly id: string;
  /** Each name once, in the client's order. */
  readonly tools: readonly Tool[];
}

/** One question. */
export interface SearchRequest {
  readonly query: string;
  readonly searchable: SearchableTools;
  /** The id of the exchange that it belongs to. */
  readonly requestId: string;
  /** Its place in a trace; the selector goes on below it. */
  readonly span: Span;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Finds deferred tools by what a model asks for.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts; keeps nothing of the
 * request but what its own documentation says; a blank query is `empty_query` and asks nobody.
 */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;
