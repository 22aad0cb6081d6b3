import type { SearchRecord } from '@winnow/core';
import type { Span } from '@winnow/service';
import type { FoundTool, SearchCall, SearchResult } from '@winnow/wire';
import { describeQuery } from './describe-query.ts';
import { outcomeName, type Search, type SearchableTools, type SearchOutcome } from './search.ts';

/** Context for resolving the searches of one turn. */
export interface ResolveContext {
  readonly search: Search;
  readonly searchable: SearchableTools;
  /** Maximum number of names that a search finds. */
  readonly limit: number;
  /** Whether a failed search for exact names finds these tools, because a failure defines none. */
  readonly findsExactNames?: boolean;
  /** Whether no further search is resolved. */
  readonly isLimit: boolean;
  /** Whether records hold the text of queries. */
  readonly withQueryText: boolean;
  /** The exchange's id, for the selector's log. */
  readonly requestId: string;
  /** The span of the exchange. */
  readonly span: Span;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Maximum number of different queries of one turn to search for; beyond that, the model is shown all tools.
 */
const MAX_QUERIES = 16;

/** The results of the searches of one turn. */
export interface Resolution {
  /** One per call, in the same order. */
  readonly results: readonly SearchResult[];
  /** Names found, each once, beginning with the best of the first search. */
  readonly found: readonly string[];
  /** Whether all deferred tools must be shown. */
  readonly isRestored: boolean;
  /** One for each of the first distinct queries. */
  readonly records: readonly SearchRecord[];
}

/** The resolution of a turn without searches. */
export const NO_SEARCHES: Resolution = {
  results: [],
  found: [],
  isRestored: false,
  records: [],
};

/**
 * Resolves the searches of one turn of the model, equal queries once. Never rejects.
 *
 * A failed search restores all tools, so that the model may call any of them; where restored tools are only
 * named (bridge mode), a failed search for exact names still finds these. Weak matches are named and
 * not loaded.
 */
export async function resolveSearches(
  calls: readonly SearchCall[],
  context: ResolveContext,
): Promise<Resolution> {
  const queries = [...new Set(calls.map((call) => call.query))];
  const resolved = await Promise.all(
    queries.map((query, place) =>
      resolveQuery(query, { ...context, isLimit: context.isLimit || place >= MAX_QUERIES }),
    ),
  );
  const byQuery = new Map(resolved.map((one) => [one.query, one]));
  const results = calls.map(({ id, query }) => ({ callId: id, ...byQuery.get(query)!.result }));
  const kinds = results.map((result) => result.kind);
  return {
    results,
    found: [...new Set(resolved.flatMap((one) => one.found))],
    isRestored: kinds.some((kind) => kind === 'restored' || kind === 'limit'),
    records: resolved.slice(0, MAX_QUERIES).map((one) => one.record),
  };
}

interface ResolvedQuery {
  readonly query: string;
  readonly result: Omit<SearchResult, 'callId'>;
  readonly found: readonly string[];
  readonly record: SearchRecord;
}

async function resolveQuery(query: string, context: ResolveContext): Promise<ResolvedQuery> {
  const startedAt = context.now();
  const outcome = context.isLimit ? undefined : await searchSafely(query, context);
  const exact = outcome?.ok === false && context.findsExactNames ? exactNames(query, context) : [];
  // With "nothing matches", names are present only because they are always kept.
  const found = outcome?.ok && !outcome.isNoMatch && !outcome.isWeak ? outcome.names : exact;
  const unknownWords = outcome?.ok ? outcome.unknownWords : undefined;
  const result =
    exact.length > 0
      ? { kind: 'found' as const, tools: toolsNamed(exact, context) }
      : toResult(outcome, context);
  return {
    query,
    found,
    result,
    record: {
      ...describeQuery(query, context.withQueryText),
      outcome: outcome ? outcomeName(outcome) : 'limit',
      names: [...found],
      ...(context.withQueryText && unknownWords && { unknownWords: [...unknownWords] }),
      ...(outcome?.meaning !== undefined && { meaning: outcome.meaning }),
      ...(outcome?.status !== undefined && { status: outcome.status }),
      ...(outcome?.cause !== undefined && { cause: outcome.cause }),
      ms: context.now() - startedAt,
    },
  };
}

/** Searches never reject by contract; if one does, the exchange must still get its response. */
async function searchSafely(
  query: string,
  { search, searchable, limit, requestId, span, signal }: ResolveContext,
): Promise<SearchOutcome> {
  try {
    return await search({ query, searchable, limit, requestId, span, signal });
  } catch {
    return { ok: false, reason: 'api_error' };
  }
}

function toResult(outcome: SearchOutcome | undefined, context: ResolveContext): Omit<SearchResult, 'callId'> {
  const everything = () => context.searchable.tools.map(toFound);
  if (!outcome) return { kind: 'limit', tools: everything() };
  if (!outcome.ok) return { kind: 'restored', tools: everything() };
  const { names, isNoMatch, isWeak, unknownWords } = outcome;
  const told = unknownWords && { unknownWords };
  if (isNoMatch) return { kind: 'no_match', tools: [], ...told };
  return { kind: isWeak ? 'weak' : 'found', tools: toolsNamed(names, context), ...told };
}

/** Returns the names that a query consists of; none if it has any other word. */
function exactNames(query: string, { searchable, limit }: ResolveContext): readonly string[] {
  const known = new Set(searchable.tools.map(({ name }) => name));
  const asked = query.replace(/^\s*select:/, '').match(/[^\s,]+/g) ?? [];
  return asked.every((name) => known.has(name)) ? [...new Set(asked)].slice(0, limit) : [];
}

function toolsNamed(names: readonly string[], { searchable }: ResolveContext): readonly FoundTool[] {
  const byName = new Map(searchable.tools.map((tool) => [tool.name, tool]));
  return names.flatMap((name) => byName.get(name) ?? []).map(toFound);
}

function toFound({ name, description }: SearchableTools['tools'][number]): FoundTool {
  return { name, description: description ?? '' };
}
