import {
  type SearchToolAnswerResponse,
  SearchToolFormatName,
  SearchToolRequest,
  type SearchToolResponse,
} from '@winnow/core';
import { descriptionHash } from '@winnow/registry';
import { checkForm, jsonResponse } from '@winnow/service';
import { z } from 'zod';
import type { RegistryRoute, RouteContext } from '../http/registry-route.ts';
import { unwrap } from '../registry-error.ts';
import { queryFacts, toMetadata, toNotFound, toReference } from './found.ts';

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
      metrics.countSearch({ ...page, durationMs });
      exchange.facts = { ...exchange.facts, ...queryFacts(query, page) };
      return jsonResponse({
        tool_references: result.tools.map((tool) => toReference(tool, { withScores: false })),
        total_matches: page.totalMatches,
        ...toNotFound(page),
        search_metadata: {
          ...toMetadata(page, query, durationMs),
          ...(ignored.length > 0 && { ignored: [...ignored] }),
        },
        definitions: result.definitions.map((definition) => ({ ...definition })),
      } satisfies SearchToolAnswerResponse);
    },
  };
}
