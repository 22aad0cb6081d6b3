import type { JsonObject } from '@winnow/service';
import { describe } from './describe-operation.ts';
import { POSTING, READING } from './errors.ts';
import { PAGE, SERVER } from './parameters.ts';

/** The paths of MCP servers. */
export function describeServers(): JsonObject {
  const errors = [...READING, 'not_found'] as const;
  return {
    '/v1/registry/servers': {
      get: describe({
        id: 'listServers',
        summary: 'How the MCP servers are that fill the registry',
        response: 'ServerListResponse',
        errors: READING,
      }),
      post: describe({
        id: 'addServer',
        summary: 'Fill the registry from another MCP server behind an address',
        body: {
          schema: 'AddServerRequest',
          example: { name: 'docs', url: 'https://docs.example.com/mcp', namespace: 'docs', pin: true },
        },
        response: 'ServerResponse',
        errors: [...POSTING, 'server_exists'],
      }),
    },
    '/v1/registry/servers/{name}': {
      get: describe({
        id: 'getServer',
        summary: 'How one server is',
        parameters: [SERVER],
        response: 'ServerResponse',
        errors,
      }),
      patch: describe({
        id: 'changeServer',
        summary: 'Change a server that was added over HTTP',
        parameters: [SERVER],
        body: { schema: 'ChangeServerRequest', example: { enabled: false, prefix: null } },
        response: 'ServerResponse',
        errors: [...POSTING, 'not_found'],
      }),
      delete: describe({
        id: 'removeServer',
        summary: 'Remove a server that was added over HTTP, and its tools',
        parameters: [SERVER],
        response: 'RemoveServerResponse',
        errors: [...errors, 'storage_unavailable', 'storage_full'],
      }),
    },
    '/v1/registry/servers/{name}/refresh': {
      post: describe({
        id: 'refreshServer',
        summary: 'Read the list of a server now',
        parameters: [SERVER],
        response: 'ServerResponse',
        errors: [...errors, 'server_unreachable', 'limit_exceeded', 'storage_unavailable'],
      }),
    },
    '/v1/registry/servers/{name}/tools': {
      get: describe({
        id: 'listServerTools',
        summary: 'The tools of a server, by id',
        parameters: [SERVER, ...PAGE],
        response: 'ToolListResponse',
        errors: [...errors, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/servers/{name}/approve': {
      post: describe({
        id: 'approveDefinitions',
        summary: 'Take over definitions of a pinned server that have changed',
        parameters: [SERVER],
        body: { schema: 'ApproveRequest', example: { tools: [{ id: 'docs:search' }] } },
        response: 'ApproveResponse',
        errors: [...POSTING, 'not_found', 'limit_exceeded', 'storage_unavailable'],
      }),
    },
  };
}
