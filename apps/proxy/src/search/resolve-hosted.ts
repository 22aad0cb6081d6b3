import { regexFault } from '@winnow/ranking';
import type { HostedQuery, SearchCall, SearchResult } from '@winnow/wire';
import { describeQuery } from './describe-query.ts';
import { type Resolution, type ResolveContext, resolveSearches } from './resolve-searches.ts';
import type { SearchOutcome } from './search.ts';

/** A call with its query. */
export interface HostedCall {
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
  const told = [...resolved.flatMap(({ results }) => results), ...faults.map(toResult)];
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
    calls.map(({ call, query }) => ({ ...call, query: query.text })),
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

function toResult({ call, fault }: { call: SearchCall; fault: string }): SearchResult {
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
