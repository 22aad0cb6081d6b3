import { type KnownToolsResponse, ToolSearchRequest, type ToolSearchResponse } from '@winnow/core';
import { jsonResponse } from '@winnow/service';
import type { AttachRoute } from '../http/attach-route.ts';

/** `POST /api/v1/tools/search`: what would be found for a query. */
export const searchRoute: AttachRoute<typeof ToolSearchRequest> = {
  name: 'search',
  path: '/api/v1/tools/search',
  body: ToolSearchRequest,
  async handle({ service, body }) {
    const { found, certainty } = await service.search(body.query, body.limit);
    const response: ToolSearchResponse = found.map(({ tool, score }) => ({
      id: tool.id ?? null,
      name: tool.name,
      description: tool.description,
      score,
      ...(certainty === 'weak' && { is_weak: true }),
    }));
    return jsonResponse(response);
  },
};

/** `GET /api/v1/tools`: all tools that can be found. */
export const listRoute: AttachRoute<undefined> = {
  name: 'list',
  path: '/api/v1/tools',
  body: undefined,
  async handle({ service }) {
    const tools = await service.listTools();
    const response: KnownToolsResponse = tools.map((tool) => ({
      id: tool.id ?? null,
      name: tool.name,
      description: tool.description,
      tool_type: tool.toolType,
      tags: [...tool.tags],
      server: tool.server ?? null,
    }));
    return jsonResponse(response);
  },
};

/** `POST /api/v1/tools/refresh`: reads all tools of Letta now. */
export const refreshRoute: AttachRoute<undefined> = {
  name: 'refresh',
  path: '/api/v1/tools/refresh',
  body: undefined,
  async handle({ service }) {
    return jsonResponse({ success: true, tools: await service.refresh() });
  },
};
