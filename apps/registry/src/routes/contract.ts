import { hash } from 'node:crypto';
import type {
  ListedTool,
  RegistryReference,
  RegistrySearchMetadata,
  RegistrySearchResponse,
  RegistryTool,
  RegistryToolSummary,
  ToolDetailResponse,
} from '@winnow/core';
import type { FoundTool, PageRequest, Registry, SearchPage, ToolDetail, ToolSummary } from '@winnow/registry';
import { checkForm, type LogFields, threeDecimals } from '@winnow/service';
import { z } from 'zod';

/** A summary in the form of the contract, without empty members. */
export function toSummary(tool: ToolSummary): RegistryToolSummary {
  return {
    id: tool.id,
    tool_name: tool.modelName,
    ...(tool.namespace !== '' && { namespace: tool.namespace }),
    name: tool.name,
    ...(tool.title !== '' && { title: tool.title }),
    summary: tool.summary,
    tags: [...tool.tags],
    ...(tool.version !== undefined && { version: tool.version }),
    ...(Object.keys(tool.annotations).length > 0 && { annotations: { ...tool.annotations } }),
    ...(tool.server !== undefined && { server: tool.server }),
    ...(tool.staleSince !== undefined && { stale_since: new Date(tool.staleSince).toISOString() }),
  };
}

/** A summary in a list, with the definition where there is one. */
export function toListed(tool: ToolSummary, definition: RegistryTool | undefined): ListedTool {
  return {
    ...toSummary(tool),
    ...(tool.exampleTitles.length > 0 && { example_titles: [...tool.exampleTitles] }),
    ...(definition && { definition }),
  };
}

/** A tool at some level of detail as the contract writes it. */
export function toDetail(tool: ToolDetail): ToolDetailResponse {
  const { definition, examples, backends, defaultBackend, usage } = tool;
  return {
    ...toSummary(tool),
    ...(definition && { definition: definition as ToolDetailResponse['definition'] }),
    ...(tool.hasExternalRef && { external_ref: true }),
    ...(examples && {
      examples: examples.map(({ title, arguments: values, resultHint }) => ({
        title,
        arguments: values,
        ...(resultHint !== undefined && { result_hint: resultHint }),
      })),
    }),
    ...(backends && { backends: [...backends] }),
    ...(defaultBackend && { default_backend: defaultBackend }),
    ...(usage && { usage }),
  };
}

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

/** Describes the results of several queries, in the form of the contract; nothing for one query. */
export function toByQuery({ byQuery }: SearchPage): Pick<RegistrySearchResponse, 'by_query'> {
  if (byQuery === undefined) return {};
  return {
    by_query: byQuery.map(({ tools, certainty, unknownWords }) => ({
      tool_names: tools.map(({ modelName }) => modelName),
      ...(certainty !== 'found' && { certainty }),
      ...(unknownWords.length > 0 && { unknown_words: [...unknownWords] }),
    })),
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

/** Returns definitions of tools, by id, without those that no longer exist. */
export async function readDefinitions(
  tools: readonly { readonly id: string }[],
  registry: Registry,
): Promise<ReadonlyMap<string, RegistryTool>> {
  const details = await Promise.all(tools.map(({ id }) => registry.get(id, 'schema')));
  return new Map(details.flatMap((tool) => (tool ? [[tool.id, tool.definition as RegistryTool]] : [])));
}

const PageQuery = z.object({
  cursor: z.string().optional(),
  page_size: z
    .string()
    .regex(/^\d{1,4}$/, 'Invalid input: expected a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .optional(),
});

/** The page that the parameters of a list ask for. Throws `invalid_request`. */
export function readPage(query: Readonly<Record<string, string>>): PageRequest {
  const { cursor, page_size: pageSize } = checkForm(PageQuery, query);
  return { ...(cursor !== undefined && { cursor }), ...(pageSize !== undefined && { pageSize }) };
}
