import type { JsonObject } from '@winnow/service';
import { DESCRIPTION, POSTING, READING } from './errors.ts';
import { PAGE, SERVER } from './parameters.ts';

/** The paths of MCP servers. */
export function describeServers(): JsonObject {
  const errors = [...READING, 'not_found'] as const;
  return {
    '/v1/registry/servers': {
      get: DESCRIPTION.describe('listServers', 'How the MCP servers are that fill the registry', {
        response: 'ServerListResponse',
        errors: READING,
      }),
      post: DESCRIPTION.describe('addServer', 'Fill the registry from another MCP server behind an address', {
        body: {
          schema: 'AddServerRequest',
          example: { name: 'docs', url: 'https://docs.example.com/mcp', namespace: 'docs', pin: true },
        },
        response: 'ServerResponse',
        errors: [...POSTING, 'server_exists'],
      }),
    },
    '/v1/registry/servers/{name}': {
      get: DESCRIPTION.describe('getServer', 'How one server is', {
        parameters: [SERVER],
        response: 'ServerResponse',
        errors,
      }),
      patch: DESCRIPTION.describe('changeServer', 'Change a server that was added over HTTP', {
        parameters: [SERVER],
        body: { schema: 'ChangeServerRequest', example: { enabled: false, prefix: null } },
        response: 'ServerResponse',
        errors: [...POSTING, 'not_found'],
      }),
      delete: DESCRIPTION.describe(
        'removeServer',
        'Remove a server that was added over HTTP, and its tools',
        {
          parameters: [SERVER],
          response: 'RemoveServerResponse',
          errors: [...errors, 'storage_unavailable', 'storage_full'],
        },
      ),
    },
    '/v1/registry/servers/{name}/refresh': {
      post: DESCRIPTION.describe('refreshServer', 'Read the list of a server now', {
        parameters: [SERVER],
        response: 'ServerResponse',
        errors: [...errors, 'server_unreachable', 'limit_exceeded', 'storage_unavailable'],
      }),
    },
    '/v1/registry/servers/{name}/tools': {
      get: DESCRIPTION.describe('listServerTools', 'The tools of a server, by id', {
        parameters: [SERVER, ...PAGE],
        response: 'ToolListResponse',
        errors: [...errors, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/servers/{name}/approve': {
      post: DESCRIPTION.describe(
        'approveDefinitions',
        'Take over definitions of a pinned server that have changed',
        {
          parameters: [SERVER],
          body: { schema: 'ApproveRequest', example: { tools: [{ id: 'docs:search' }] } },
          response: 'ApproveResponse',
          errors: [...POSTING, 'not_found', 'limit_exceeded', 'storage_unavailable'],
        },
      ),
    },
  };
}
