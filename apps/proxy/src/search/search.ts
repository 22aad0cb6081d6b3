import { createHash } from 'node:crypto';
import type { SearchableTools, SelectorOutcome } from '@winnow/clients';
import type { SearchRecord, SearchType, Tool } from '@winnow/core';
import { MOST_NEXT, SURE_OF_EACH } from '@winnow/ranking';
import type { Span, SpanKind } from '@winnow/service';
import { type RequestView, rememberBy, type ToolSection } from '@winnow/wire';
import { CANDIDATES_EACH, typicalSizeOf, worthLoading } from '../strategies/worth-loading.ts';

export type { SearchableTools };

/** The outcome of a search, with details of the selector's response if there was one. */
export type SearchOutcome = SelectorOutcome & {
  /** Names of further matches, best first; absent if definitions are not loaded. */
  readonly next?: readonly string[];
};

/** Returns the name of an outcome in records. */
export function outcomeName(outcome: SearchOutcome): Exclude<SearchRecord['outcome'], 'limit'> {
  if (!outcome.ok) return outcome.reason;
  if (outcome.isNoMatch) return 'no_match';
  return outcome.isWeak ? 'weak' : 'found';
}

/** Returns the cause of a failed search: the selector's status, or the system's code. */
export function causeOf({ status, cause }: SearchOutcome): Pick<SearchRecord, 'cause'> {
  const known = cause ?? status?.toString();
  return known === undefined ? {} : { cause: known };
}

export interface SearchRequest {
  /** Several needs, or several wordings of one; one at least. */
  readonly queries: readonly string[];
  readonly searchable: SearchableTools;
  /** Interpretation of the queries; `auto` by default. */
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
 * Finds deferred tools for a model's queries.
 *
 * Contract: never rejects and never throws; safe for concurrent calls; ends soon after `signal` aborts; keeps
 * nothing of the request beyond what the implementation documents; blank queries alone are `empty_query` and run no
 * search.
 */
export type Search = (request: SearchRequest) => Promise<SearchOutcome>;

/**
 * Returns the deferred tools of a request, ready to be searched; the same object for requests with the same tools.
 * Hashes new ones: call it only for a search.
 *
 * Clients share indexes by the id, so that it covers everything that a search may show: a tool's text alone lacks the
 * namespace that its name begins with, and means other names in other formats.
 */
export function toSearchable(
  { toolSection }: Pick<RequestView, 'toolSection'>,
  names: readonly string[],
): SearchableTools {
  return toolSection === undefined ? NOTHING : searchableIn(toolSection, names);
}

const searchableIn = rememberBy(({ entries }: ToolSection, names: readonly string[]): SearchableTools => {
  const wanted = new Set(names);
  const hash = createHash('sha256');
  const tools: Tool[] = [];
  const sizes = new Map<string, number>();
  for (const { name, description, definition, text } of entries) {
    if (name === undefined || !wanted.delete(name)) continue;
    hash.update(JSON.stringify([name, description, text])).update('\n');
    sizes.set(name, text.length);
    tools.push({ name, description, definition: definition as Record<string, unknown> });
  }
  return { id: hash.digest('base64url'), tools, sizes };
});

const NOTHING: SearchableTools = { id: 'none', tools: [] };

/**
 * Wraps a search so that, of its best matches, it finds only those that are worth their definitions, and names the
 * next ones. Several queries may find half as many more. Without sizes, as if a client loads tools itself, it finds as
 * many as requested.
 */
export function leanSearch(search: Search): Search {
  return async (request) => {
    const { limit, queries } = request;
    const { sizes } = request.searchable;
    if (sizes === undefined) return search(request);
    const most = queries.length === 1 ? limit : Math.ceil(limit * MORE_OF_SEVERAL);
    const outcome = await search({ ...request, limit: most * CANDIDATES_EACH + MOST_NEXT });
    if (!outcome.ok) return outcome;
    const { scores, ...found } = outcome;
    const isLoaded = !found.isNoMatch && !found.isWeak;
    // Weak matches are named, which costs next to nothing. Other selectors may give no scores.
    const names =
      isLoaded && scores !== undefined
        ? worthOf(found.names.slice(0, most * CANDIDATES_EACH))
        : found.names.slice(0, limit);
    if (!isLoaded) return { ...found, names };
    const loaded = new Set(names);
    return { ...found, names, next: found.names.filter((name) => !loaded.has(name)).slice(0, MOST_NEXT) };

    function worthOf(best: readonly string[]): readonly string[] {
      const candidates = best.map((name, place) => ({
        name,
        score: scores![place]!,
        size: sizes!.get(name)!,
      }));
      const certain = found.byQuery?.filter(({ certainty }) => certainty === 'found');
      const sure = certain?.flatMap((query) => query.names.slice(0, SURE_OF_EACH));
      return worthLoading(candidates, { most, typicalSize: typicalSize(sizes!), sure });
    }
  };
}

const typicalSize = rememberBy((sizes: ReadonlyMap<string, number>) => typicalSizeOf(sizes.values()));

/** Number of tools that several queries may find, as a multiple of what one may. */
const MORE_OF_SEVERAL = 1.5;

/** Wraps a search with a child span of the exchange; the span records only the length of the query. */
export function tracedSearch(search: Search, kind: SpanKind): Search {
  return async (request) => {
    const span = request.span.startChild('search', kind, {
      'winnow.search.tools': request.searchable.tools.length,
      'winnow.search.query_chars': request.queries.join('').length,
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
