import { type RegistryFilters, RegistrySearchRequest, type RegistrySearchResponse } from '@winnow/core';
import type { Json, Registry, SearchOptions, SearchPage, ToolFilter } from '@winnow/registry';
import { jsonResponse } from '@winnow/service';
import type { RegistryRoute, RouteContext } from '../http/registry-route.ts';
import { unwrap } from '../registry-error.ts';
import { queryFacts, toMetadata, toNotFound, toReference } from './found.ts';
import { readDefinitions } from './read-definitions.ts';

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
      const page = unwrap(await registry.search(body.query, toOptions(body), signal));
      const durationMs = now() - startedAt;
      metrics.countSearch({ ...page, durationMs });
      exchange.facts = {
        ...exchange.facts,
        ...queryFacts(body.query, page),
      };
      exchange.span.set({
        'winnow.search.found': page.tools.length,
        'winnow.search.query_chars': body.query.length,
        'winnow.search.type': page.searchType,
        'winnow.search.outcome': page.noMatch ? 'no_match' : page.certainty,
      });
      return jsonResponse(await toResponse(page, body, durationMs, registry), {
        'server-timing': `search;desc=${page.cache};dur=${durationMs.toFixed(3)}`,
      });
    },
  };
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
  { query, include }: RegistrySearchRequest,
  durationMs: number,
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
    ...(include.includes('metadata') && { search_metadata: toMetadata(page, query, durationMs) }),
  };
}
