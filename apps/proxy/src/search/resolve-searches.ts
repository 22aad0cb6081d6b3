import type { SearchRecord } from '@winnow/core';
import { regexFault } from '@winnow/ranking';
import type { Span } from '@winnow/service';
import type { FoundTool, HostedQuery, SearchCall, SearchResult } from '@winnow/wire';
import { causeOf, outcomeName, type Search, type SearchableTools, type SearchOutcome } from './search.ts';

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
 * Number of queries of one turn beyond which no further call is searched for: the model is then shown all tools.
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
  /** One for each of the first distinct searches. */
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
 * Resolves the searches of one turn of the model, equal ones once. Never rejects.
 *
 * A failed search restores all tools, so that the model may call any of them; where restored tools are only
 * named (bridge mode), a failed search for exact names still finds these. Weak matches are named and
 * not loaded.
 */
export async function resolveSearches(
  calls: readonly SearchCall[],
  context: ResolveContext,
): Promise<Resolution> {
  const searches = new Map(calls.map(({ queries }) => [keyOf(queries), queries]));
  let count = 0;
  const resolved = await Promise.all(
    [...searches].map(([key, queries]) => {
      const isLimit = context.isLimit || count >= MAX_QUERIES;
      count += Math.max(1, queries.length);
      return resolveQueries(key, queries, { ...context, isLimit });
    }),
  );
  const byKey = new Map(resolved.map((one) => [one.key, one]));
  const results = calls.map(({ id, queries }) => ({ callId: id, ...byKey.get(keyOf(queries))!.result }));
  const kinds = results.map((result) => result.kind);
  return {
    results,
    found: [...new Set(resolved.flatMap((one) => one.found))],
    isRestored: kinds.some((kind) => kind === 'restored' || kind === 'limit'),
    records: resolved.slice(0, MAX_QUERIES).map((one) => one.record),
  };
}

const keyOf = (queries: readonly string[]) => queries.join('\n');

interface ResolvedSearch {
  readonly key: string;
  readonly result: Omit<SearchResult, 'callId'>;
  readonly found: readonly string[];
  readonly record: SearchRecord;
}

async function resolveQueries(
  key: string,
  queries: readonly string[],
  context: ResolveContext,
): Promise<ResolvedSearch> {
  const startedAt = context.now();
  const outcome = context.isLimit ? undefined : await searchSafely(queries, context);
  const exact = outcome?.ok === false && context.findsExactNames ? exactNames(queries, context) : [];
  // With "nothing matches", names are present only because they are always kept.
  const found = outcome?.ok && !outcome.isNoMatch && !outcome.isWeak ? outcome.names : exact;
  const result =
    exact.length > 0
      ? { kind: 'found' as const, tools: toolsNamed(exact, context) }
      : toResult(outcome, queries, context);
  return {
    key,
    found,
    result,
    record: {
      ...describeQuery(key, context.withQueryText),
      outcome: outcome ? outcomeName(outcome) : 'limit',
      names: [...found],
      ...(outcome?.ok === false && causeOf(outcome)),
      ms: context.now() - startedAt,
    },
  };
}

/** Searches never reject by contract; if one does, the exchange must still get its response. */
async function searchSafely(
  queries: readonly string[],
  { search, searchable, limit, requestId, span, signal }: ResolveContext,
): Promise<SearchOutcome> {
  if (queries.length === 0) return { ok: false, reason: 'empty_query' };
  try {
    return await search({ queries, searchable, limit, requestId, span, signal });
  } catch {
    return { ok: false, reason: 'api_error' };
  }
}

function toResult(
  outcome: SearchOutcome | undefined,
  queries: readonly string[],
  context: ResolveContext,
): Omit<SearchResult, 'callId'> {
  const everything = () => context.searchable.tools.map(toFound);
  if (!outcome) return { kind: 'limit', tools: everything() };
  if (!outcome.ok) return { kind: 'restored', tools: everything() };
  const { names, isNoMatch, isWeak, unknownWords, byQuery = [], next = [] } = outcome;
  const told = unknownWords && { unknownWords };
  if (isNoMatch) return { kind: 'no_match', tools: [], ...told };
  const loaded = new Set(names);
  const doubts = byQuery.flatMap(({ certainty, names, unknownWords }, place) => {
    const isDoubt = isWeak ? certainty === 'none' : certainty !== 'found';
    const query = queries[place];
    const unloaded = names.filter((name) => !loaded.has(name));
    return isDoubt && query !== undefined
      ? [{ query, tools: toolsNamed(unloaded, context), unknownWords }]
      : [];
  });
  return {
    kind: isWeak ? 'weak' : 'found',
    tools: toolsNamed(names, context),
    ...told,
    ...(doubts.length > 0 && { doubts }),
    ...(next.length > 0 && { next }),
  };
}

/** Returns the names that queries consist of; none if they have any other word. */
function exactNames(queries: readonly string[], { searchable, limit }: ResolveContext): readonly string[] {
  const known = new Set(searchable.tools.map(({ name }) => name));
  const asked = queries.flatMap((query) => query.replace(/^\s*select:/, '').match(/[^\s,]+/g) ?? []);
  return asked.every((name) => known.has(name)) ? [...new Set(asked)].slice(0, limit) : [];
}

function toolsNamed(names: readonly string[], { searchable }: ResolveContext): readonly FoundTool[] {
  const byName = new Map(searchable.tools.map((tool) => [tool.name, tool]));
  return names.flatMap((name) => byName.get(name) ?? []).map(toFound);
}

function toFound({ name, description }: SearchableTools['tools'][number]): FoundTool {
  return { name, description: description ?? '' };
}

/** A call with its query. */
interface HostedCall {
  readonly call: SearchCall;
  readonly query: HostedQuery;
}

/**
 * Resolves searches that a client leaves to its provider, like those of the search tool, except that each
 * interprets its query as the provider does, and an invalid query gets an error. Never rejects.
 *
 * At most 16 different searches run per response; the others get an error. An expression that matches nothing
 * is searched for by its words before the result is empty.
 */
export async function resolveHosted(
  calls: readonly HostedCall[],
  context: Omit<ResolveContext, 'isLimit' | 'limit'>,
): Promise<Resolution> {
  const faults = calls.flatMap(({ call, query }) => {
    const fault = faultOf(query);
    return fault === undefined ? [] : [{ call, query, fault }];
  });
  const isFaulty = new Set(faults.map(({ call }) => call));
  const sound = calls.filter(({ call }) => !isFaulty.has(call));
  const queries = Map.groupBy(sound, ({ query: { kind, limit, text } }) => `${kind} ${limit} ${text}`);
  const asked = [...queries.values()].slice(0, MOST_QUERIES).flat();
  const kinds = Map.groupBy(asked, ({ query: { kind, limit } }) => `${kind} ${limit}`);
  const resolved = await Promise.all([...kinds.values()].map((same) => resolveSame(same, context)));
  const told = [...resolved.flatMap(({ results }) => results), ...faults.map(faultResult)];
  const byId = new Map(told.map((result) => [result.callId, result]));
  return {
    results: calls.map(({ call: { id } }) => byId.get(id) ?? { callId: id, kind: 'limit', tools: [] }),
    found: [...new Set(resolved.flatMap(({ found }) => found))],
    isRestored: resolved.some(({ isRestored }) => isRestored),
    records: [
      ...resolved.flatMap(({ records }) => records),
      ...faults.slice(0, MOST_QUERIES).map(({ query }) => ({
        ...describeQuery(query.text, context.withQueryText),
        outcome: 'empty_query' as const,
        names: [],
        ms: 0,
      })),
    ],
  };
}

/** Maximum number of different searches to run per response, and of invalid ones to record. */
const MOST_QUERIES = 16;

/** Resolves searches of one kind and limit. */
function resolveSame(
  calls: readonly HostedCall[],
  context: Omit<ResolveContext, 'isLimit' | 'limit'>,
): Promise<Resolution> {
  const { kind, limit } = calls[0]!.query;
  return resolveSearches(
    calls.map(({ call, query }) => ({ ...call, queries: [query.text] })),
    {
      ...context,
      isLimit: false,
      limit,
      search: async (request) => {
        const searchType = kind === 'regex' ? 'regex' : 'keyword';
        const outcome = await context.search({ ...request, searchType });
        // A provider's search does not distinguish weak matches.
        return outcome.ok && outcome.isWeak ? withoutCertainty(outcome) : outcome;
      },
    },
  );
}

function withoutCertainty({ isWeak: _weak, unknownWords: _words, ...outcome }: SearchOutcome & { ok: true }) {
  return outcome;
}

function faultResult({ call, fault }: { call: SearchCall; fault: string }): SearchResult {
  return { callId: call.id, kind: 'answered', tools: [], text: fault, isError: true };
}

/** Returns the error in a query; undefined if there is none. */
function faultOf({ kind, text, mostChars }: HostedQuery): string | undefined {
  const what = kind === 'regex' ? 'pattern' : 'query';
  if (text.trim() === '') return `The ${what} is missing.`;
  if (text.length > mostChars) return `The ${what} is longer than ${mostChars} characters.`;
  const fault = kind === 'regex' ? regexFault(text) : undefined;
  return fault && `Invalid regular expression pattern: ${fault}`;
}

/** The description of a query in a record. */
type QueryDescription = Pick<SearchRecord, 'queryText'>;

/** Longest recorded text: a record is a line, and a user's message may be a book. */
const MAX_TEXT_CHARS = 1_000;

/**
 * Describes a query, or several on a line each, for a record: by its first 1,000 characters, if the operator wants the
 * text.
 */
export function describeQuery(query: string, withText: boolean): QueryDescription {
  return withText ? { queryText: query.slice(0, MAX_TEXT_CHARS) } : {};
}
