import {
  type RegistryFilters,
  RegistrySearchRequest,
  type RegistrySearchResponse,
  type SearchToolAnswerResponse,
  SearchToolFormatName,
  SearchToolRequest,
  type SearchToolResponse,
} from '@winnow/core';
import {
  descriptionHash,
  type Json,
  type Registry,
  type SearchOptions,
  type SearchPage,
  type ToolFilter,
} from '@winnow/registry';
import { checkForm, invalidRequest, jsonResponse } from '@winnow/service';
import { z } from 'zod';
import type { RegistryRoute, RouteContext } from '../http/registry-route.ts';
import { unwrap } from '../registry-error.ts';
import { queryFacts, readDefinitions, toByQuery, toMetadata, toNotFound, toReference } from './contract.ts';

/** `POST /v1/registry/search`. */
export function searchRoute({
  metrics,
  now,
}: Pick<RouteContext, 'metrics' | 'now'>): RegistryRoute<typeof RegistrySearchRequest> {
  return {
    name: 'search',
    path: '/v1/registry/search',
    right: 'read',
    body: RegistrySearchRequest,
    async handle({ registry, body, signal, exchange }) {
      const startedAt = now();
      const queries = queriesOf(body);
      const query = queries.join('\n');
      const page = unwrap(await registry.search(queries, toOptions(body), signal));
      const durationMs = now() - startedAt;
      metrics.countSearch(durationMs);
      exchange.facts = {
        ...exchange.facts,
        ...queryFacts(query, page),
      };
      exchange.span.set({
        'winnow.search.found': page.tools.length,
        'winnow.search.query_chars': query.length,
        'winnow.search.type': page.searchType,
        'winnow.search.outcome': page.noMatch ? 'no_match' : page.certainty,
      });
      return jsonResponse(await toResponse(page, body, { query, durationMs }, registry), {
        'server-timing': `search;desc=${page.cache};dur=${durationMs.toFixed(3)}`,
      });
    },
  };
}

function queriesOf({ query, queries }: RegistrySearchRequest): readonly string[] {
  if (queries !== undefined) return queries;
  if (query !== undefined) return [query];
  throw invalidRequest([{ path: 'query', message: 'Required unless there are `queries`' }]);
}

function toOptions(body: RegistrySearchRequest): SearchOptions {
  return {
    searchType: body.search_type,
    pageSize: body.page_size,
    ...(body.limit !== undefined && { limit: body.limit }),
    ...(body.cursor !== undefined && { cursor: body.cursor }),
    ...(body.filters && { filter: toFilter(body.filters) }),
    ...(body.always_keep && { alwaysKeep: body.always_keep }),
  };
}

function toFilter({
  namespaces,
  tags,
  tags_all: tagsAll,
  servers,
  kinds,
  annotations,
  exclude,
}: RegistryFilters): ToolFilter {
  return {
    ...(namespaces && { namespaces }),
    ...(tags && { tags }),
    ...(tagsAll && { tagsAll }),
    ...(servers && { servers }),
    ...(kinds && { kinds }),
    ...(annotations && { annotations: annotations as Record<string, Json> }),
    ...(exclude && { exclude }),
  };
}

async function toResponse(
  page: SearchPage,
  { include }: RegistrySearchRequest,
  { query, durationMs }: { readonly query: string; readonly durationMs: number },
  registry: Registry,
): Promise<RegistrySearchResponse> {
  const definitions = include.includes('schemas') ? await readDefinitions(page.tools, registry) : undefined;
  return {
    tool_references: page.tools.map((tool) =>
      toReference(tool, { definition: definitions?.get(tool.id), withScores: include.includes('scores') }),
    ),
    total_matches: page.totalMatches,
    ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
    ...toNotFound(page),
    ...toByQuery(page),
    ...(include.includes('metadata') && { search_metadata: toMetadata(page, query, durationMs) }),
  };
}

const FormatQuery = z.object({ format: SearchToolFormatName.default('openai-chat') });

/** `GET /v1/registry/search-tool`: the definition and texts with which a model can search. */
export const searchToolRoute: RegistryRoute<undefined> = {
  name: 'search_tool',
  path: '/v1/registry/search-tool',
  right: 'read',
  body: undefined,
  async handle({ registry, query, exchange }) {
    const { format } = checkForm(FormatQuery, query);
    const description = await registry.searchTool.describe(format);
    const etag = `"${descriptionHash(description)}"`;
    if (exchange.incoming.headers['if-none-match'] === etag) {
      return { status: 304, headers: { etag }, body: '' };
    }
    const response: SearchToolResponse = {
      format,
      definition: { ...description.definition },
      system_text: description.systemText,
      always_loaded: description.alwaysLoaded.map(({ toolName, definition }) => ({
        tool_name: toolName,
        definition: { ...definition },
      })),
      version: description.version,
    };
    return jsonResponse(response, { etag });
  },
};

/** `POST /v1/registry/search-tool/search`: answers a model's call of the search tool. */
export function searchToolSearchRoute({
  metrics,
  now,
}: Pick<RouteContext, 'metrics' | 'now'>): RegistryRoute<typeof SearchToolRequest> {
  return {
    name: 'search_tool_search',
    path: '/v1/registry/search-tool/search',
    right: 'read',
    body: SearchToolRequest,
    async handle({ registry, body, signal, exchange }) {
      const startedAt = now();
      const { format, known } = body;
      const result = unwrap(await registry.searchTool.answer(body.arguments, { format, known, signal }));
      const { page, query, ignored } = result;
      const durationMs = now() - startedAt;
      metrics.countSearch(durationMs);
      exchange.facts = { ...exchange.facts, ...queryFacts(query, page) };
      return jsonResponse({
        tool_references: result.tools.map((tool) => toReference(tool, { withScores: false })),
        ...(result.next.length > 0 && { next_names: [...result.next] }),
        total_matches: page.totalMatches,
        ...toNotFound(page),
        ...toByQuery(page),
        search_metadata: {
          ...toMetadata(page, query, durationMs),
          ...(ignored.length > 0 && { ignored: [...ignored] }),
        },
        definitions: result.definitions.map((definition) => ({ ...definition })),
      } satisfies SearchToolAnswerResponse);
    },
  };
}
