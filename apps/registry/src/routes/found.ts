import { hash } from 'node:crypto';
import type {
  RegistryReference,
  RegistrySearchMetadata,
  RegistrySearchResponse,
  RegistryTool,
} from '@winnow/core';
import type { FoundTool, SearchPage } from '@winnow/registry';
import { type LogFields, threeDecimals } from '@winnow/service';

/** Letters of a SHA-256 digest in a log line: enough to see that two queries are the same. */
const HASH_CHARS = 12;

/** Writes a found tool in the form of the contract. */
export function toReference(
  tool: FoundTool,
  {
    definition,
    withScores,
  }: { readonly definition?: RegistryTool | undefined; readonly withScores: boolean },
): RegistryReference {
  return {
    tool_name: tool.modelName,
    id: tool.id,
    ...(tool.namespace !== '' && { namespace: tool.namespace }),
    relevance_score: tool.relevanceScore,
    summary: tool.summary,
    ...(withScores && tool.confidence !== undefined && { confidence: threeDecimals(tool.confidence) }),
    matched_on: [...tool.matchedOn],
    ...(tool.server !== undefined && { server: tool.server }),
    ...(tool.staleSince !== undefined && { stale_since: new Date(tool.staleSince).toISOString() }),
    ...(definition && { definition }),
  };
}

/** Describes a search without a certain match, in the form of the contract; nothing if there is a certain match. */
export function toNotFound({
  certainty,
  noMatch,
  unknownWords,
  nearestNamespaces,
}: SearchPage): Pick<
  RegistrySearchResponse,
  'no_match' | 'certainty' | 'unknown_words' | 'nearest_namespaces'
> {
  if (certainty === 'found') return {};
  return {
    ...(noMatch && { no_match: true }),
    certainty,
    ...(unknownWords.length > 0 && { unknown_words: [...unknownWords] }),
    nearest_namespaces: [...nearestNamespaces],
  };
}

/** Writes the metadata of a search in the form of the contract. */
export function toMetadata(page: SearchPage, query: string, durationMs: number): RegistrySearchMetadata {
  return {
    search_type: page.searchType,
    requested_search_type: page.requestedSearchType,
    query,
    execution_time_ms: threeDecimals(durationMs),
    ...(page.degraded && { degraded: page.degraded }),
    cache: page.cache,
    version: page.version,
  };
}

/** Returns the log fields of a search: the length and hash of the query, never the query itself. */
export function queryFacts(query: string, page: SearchPage): LogFields {
  return {
    queryChars: query.length,
    queryHash: hash('sha256', query).slice(0, HASH_CHARS),
    searchType: page.searchType,
    cache: page.cache,
    found: page.tools.length,
    noMatch: page.noMatch,
    certainty: page.certainty,
  };
}
