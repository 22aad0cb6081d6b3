import { type JsonObject, parameter } from '@winnow/service';
import { CHANGING, DESCRIPTION, POSTING, READING } from './errors.ts';
import { ID, IF_MATCH, PAGE } from './parameters.ts';

const EXAMPLE_TOOL = {
  namespace: 'jira',
  tags: ['issues'],
  tool: {
    name: 'create_issue',
    description: 'Create an issue in a Jira project.',
    inputSchema: {
      type: 'object',
      properties: { project: { type: 'string' }, summary: { type: 'string' } },
      required: ['project', 'summary'],
    },
  },
  backend: { kind: 'mcp', server: 'jira' },
};

/** The paths of searches and of what is registered. */
export function describeTools(): JsonObject {
  return {
    '/v1/registry/search': {
      post: DESCRIPTION.describe('searchRegistry', 'Find the registered tools that fit a query best', {
        body: {
          schema: 'RegistrySearchRequest',
          example: { query: 'open a ticket', page_size: 5, include: ['metadata'] },
        },
        response: 'RegistrySearchResponse',
        errors: [...POSTING, 'invalid_cursor', 'stale_cursor', 'search_unavailable'],
      }),
    },
    '/v1/registry/tools': {
      put: DESCRIPTION.describe('registerTools', 'Register 1 to 1,000 tools: all of them, or none', {
        parameters: [IF_MATCH],
        body: { schema: 'RegisterRequest', example: { tools: [EXAMPLE_TOOL] } },
        response: 'RegisterResponse',
        errors: [...POSTING, ...CHANGING, 'invalid_tool', 'invalid_backend', 'tool_conflict'],
      }),
      get: DESCRIPTION.describe('listTools', 'Summaries of all tools, by id', {
        parameters: [
          ...PAGE,
          parameter('query', 'namespace', 'Tools of this namespace alone.'),
          parameter('query', 'tag', 'Tools with this tag alone.'),
          parameter('query', 'server', 'Tools of this MCP server alone.'),
          parameter('query', 'include', '`schemas` adds the definition of each tool.'),
        ],
        response: 'ToolListResponse',
        errors: [...READING, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/tools/{id}': {
      get: DESCRIPTION.describe('readTool', 'One tool; its ETag is the hash of its content', {
        parameters: [
          ID,
          parameter('query', 'detail', '`summary`, `schema` (the default) or `full`; each tells more.'),
        ],
        response: 'ToolDetailResponse',
        errors: [...READING, 'not_found'],
      }),
      delete: DESCRIPTION.describe('removeTool', 'Remove a tool, or one of its backends', {
        parameters: [
          ID,
          IF_MATCH,
          parameter('query', 'backend', 'One backend as JSON, such as `{"kind":"mcp","server":"jira"}`.'),
        ],
        response: 'ChangeResponse',
        errors: [...READING, ...CHANGING, 'not_found', 'invalid_backend'],
      }),
    },
    '/v1/registry/tools/{id}/examples': {
      put: DESCRIPTION.describe('setExamples', 'Replace the examples of a tool', {
        parameters: [ID, IF_MATCH],
        body: {
          schema: 'ExamplesRequest',
          example: { examples: [{ title: 'A bug', arguments: { project: 'WEB', summary: 'It is broken' } }] },
        },
        response: 'ChangeResponse',
        errors: [...POSTING, ...CHANGING, 'not_found', 'invalid_example'],
      }),
    },
    '/v1/registry/namespaces': {
      get: DESCRIPTION.describe('listNamespaces', 'Namespaces and how many tools they have', {
        parameters: PAGE,
        response: 'NamespaceListResponse',
        errors: [...READING, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/expand': {
      post: DESCRIPTION.describe('expandTools', 'Full definitions of up to 50 tools, after a search', {
        body: { schema: 'ExpandRequest', example: { ids: ['jira:create_issue'] } },
        response: 'ExpandResponse',
        errors: [...POSTING, 'limit_exceeded'],
      }),
    },
  };
}
