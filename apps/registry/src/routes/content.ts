import {
  type CallsResponse,
  ExpandRequest,
  type ExpandResponse,
  type NamespaceListResponse,
  type StatsResponse,
  UsageRequest,
} from '@winnow/core';
import type { ServerStatus } from '@winnow/mcp';
import { jsonResponse, threeDecimals } from '@winnow/service';
import type { RegistryRoute } from '../http/registry-route.ts';
import { unwrap } from '../registry-error.ts';
import { readPage, toSummary } from './contract.ts';
import type { McpContext } from './mcp.ts';
import type { ServersContext } from './servers.ts';

/** `GET /v1/registry/namespaces`. */
export const namespacesRoute: RegistryRoute<undefined> = {
  name: 'namespaces',
  path: '/v1/registry/namespaces',
  right: 'read',
  body: undefined,
  async handle({ registry, query }) {
    const { rows, nextCursor, version } = unwrap(await registry.namespaces(readPage(query)));
    return jsonResponse({
      namespaces: [...rows],
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
      version,
    } satisfies NamespaceListResponse);
  },
};

/** `POST /v1/registry/expand`: full definitions, after a search. */
export const expandRoute: RegistryRoute<typeof ExpandRequest> = {
  name: 'expand',
  path: '/v1/registry/expand',
  right: 'read',
  body: ExpandRequest,
  async handle({ registry, body }) {
    const { tools, unknown, version } = unwrap(await registry.expand(body.ids));
    return jsonResponse({
      tools: tools.map((tool) => ({
        ...toSummary(tool),
        definition: { ...(body.format ? registry.searchTool.define(tool.id, body.format) : tool.definition) },
      })),
      unknown: [...unknown],
      version,
    } satisfies ExpandResponse);
  },
};

/** `GET /v1/registry/stats`. */
export function statsRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'stats',
    path: '/v1/registry/stats',
    right: 'read',
    body: undefined,
    async handle({ registry, caller }) {
      const stats = await registry.stats();
      const { sight } = caller;
      const states = servers
        .of(caller.tenant)
        .states()
        .filter(({ namespace }) => sight?.sees(namespace) ?? true);
      const count = (wanted: ServerStatus) => states.filter(({ status }) => status === wanted).length;
      return jsonResponse({
        version: stats.version,
        epoch: stats.epoch,
        tools: stats.tools,
        backends: stats.backends,
        namespaces: stats.namespaces,
        ...(stats.indexBytes !== undefined && { index_bytes: stats.indexBytes }),
        index_hash: stats.indexHash,
        ...(stats.resultCache && { result_cache: stats.resultCache }),
        servers: {
          disabled: count('disabled'),
          connecting: count('connecting'),
          up: count('up'),
          down: count('down'),
        },
      } satisfies StatsResponse);
    },
  };
}

/** `POST /v1/registry/usage`: counts calls of tools, for those that are loaded from the start. */
export const usageRoute: RegistryRoute<typeof UsageRequest> = {
  name: 'usage',
  path: '/v1/registry/usage',
  right: 'read',
  body: UsageRequest,
  async handle({ registry, body }) {
    await registry.countCalls(body.ids);
    return jsonResponse({});
  },
};

/** Maximum number of tools whose calls are reported. */
const MOST_CALLED = 1_000;

/**
 * `GET /v1/registry/usage`: outcomes of calls through the front door, on this instance since it started, for
 * visible tools only.
 */
export function callsRoute({ frontDoors }: Pick<McpContext, 'frontDoors'>): RegistryRoute<undefined> {
  return {
    name: 'usage',
    path: '/v1/registry/usage',
    right: 'read',
    body: undefined,
    async handle({ caller, registry }) {
      const tools: CallsResponse['tools'] = [];
      for (const [id, counted] of frontDoors.statisticsOf(caller.tenant).all()) {
        if (tools.length >= MOST_CALLED) break;
        if ((await registry.get(id, 'summary')) === undefined) continue;
        tools.push({
          id,
          calls: counted.calls,
          outcomes: { ...counted.outcomes },
          mean_ms: threeDecimals(counted.totalMs / counted.calls),
          max_ms: threeDecimals(counted.maxMs),
          result_chars: counted.resultChars,
        });
      }
      return jsonResponse({ tools } satisfies CallsResponse);
    },
  };
}
