import { createHash } from 'node:crypto';
import type { SearchableTools, SelectorOutcome } from '@winnow/clients';
import type { SearchRecord, SearchType, Tool } from '@winnow/core';
import type { Span, SpanKind } from '@winnow/service';
import type { RequestView } from '@winnow/wire';
import { CANDIDATES_EACH, typicalSizeOf, worthLoading } from '../strategies/worth-loading.ts';

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

/**
 * Returns the deferred tools of a request, ready to be searched. Hashes them: call it only for a search.
 *
 * Clients share indexes by the id, so that it covers everything that a search may show: a tool's text alone lacks the
 * namespace that its name begins with, and means other names in other formats.
 */
export function toSearchable(view: RequestView, names: readonly string[]): SearchableTools {
  const wanted = new Set(names);
  const hash = createHash('sha256');
  const tools: Tool[] = [];
  const sizes = new Map<string, number>();
  for (const { name, description, definition, text } of view.tools) {
    if (name === undefined || !wanted.delete(name)) continue;
    hash.update(JSON.stringify([name, description, text])).update('\n');
    sizes.set(name, text.length);
    tools.push({ name, description, definition: definition as Record<string, unknown> });
  }
  return { id: hash.digest('base64url'), tools, sizes };
}

/**
 * Wraps a search so that, of its best matches, it finds only those that are worth their definitions. Without
 * sizes, as if a client loads tools itself, it finds as many as requested.
 */
export function leanSearch(search: Search): Search {
  return async (request) => {
    const { limit } = request;
    const { sizes } = request.searchable;
    if (sizes === undefined) return search(request);
    const outcome = await search({ ...request, limit: limit * CANDIDATES_EACH });
    if (!outcome.ok) return outcome;
    const { scores, ...found } = outcome;
    // Weak matches are named, which costs next to nothing. Other selectors may give no scores.
    if (found.isNoMatch || found.isWeak || scores === undefined) {
      return { ...found, names: found.names.slice(0, limit) };
    }
    const candidates = found.names.map((name, place) => ({
      name,
      score: scores[place]!,
      size: sizes.get(name)!,
    }));
    const typicalSize = typicalSizeOf(sizes.values());
    return { ...found, names: worthLoading(candidates, { most: limit, typicalSize }) };
  };
}

/** Wraps a search with a child span of the exchange; the span records only the length of the query. */
export function tracedSearch(search: Search, kind: SpanKind): Search {
  return async (request) => {
    const span = request.span.startChild('search', kind, {
      'winnow.search.tools': request.searchable.tools.length,
      'winnow.search.query_chars': request.query.length,
    });
    try {
      const outcome = await search({ ...request, span });
      span.set({
        'winnow.search.outcome': outcomeName(outcome),
        'winnow.search.found': outcome.ok ? outcome.names.length : 0,
      });
      if (!outcome.ok && !BLAMELESS.includes(outcome.reason)) span.fail(outcome.reason);
      return outcome;
    } finally {
      span.end();
    }
  };
}

/** Failures caused by the model or the client. */
const BLAMELESS: readonly string[] = ['empty_query', 'client_gone'];
