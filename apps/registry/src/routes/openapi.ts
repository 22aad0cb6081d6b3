import * as schemas from '@winnow/core';
import {
  ExamplesRequest,
  REGISTRY_ERRORS,
  RegisterRequest,
  RegistrationRequest,
  RegistryErrorResponse,
  RegistryExample,
} from '@winnow/core';
import { ApiDescription, type JsonObject, jsonSchema, parameter } from '@winnow/service';

/** The OpenAPI 3.1 description of the service, made from the schemas that validate. */
export function describeApi(version: string): JsonObject {
  const description =
    'Stores tools: registered once, searched by everyone who may see them, with a feed of changes.';
  return DESCRIPTION.document(
    { title: 'Winnow registry', version, description },
    { ...describeServers(), ...describeTools(), ...describeClients() },
  );
}

const DESCRIPTION = new ApiDescription({
  statuses: REGISTRY_ERRORS,
  meanings: {
    not_found: 'The token sees no such tool, or there is no such route.',
    invalid_tool:
      'A name, namespace, schema or text is not allowed; `details` names the place of each problem.',
    invalid_backend: 'A field of the backend is missing or empty.',
    invalid_example: 'An example is too large, or the schema of the tool does not allow its arguments.',
    invalid_cursor: 'The cursor is malformed, forged, or belongs to another query.',
    forbidden: 'The token lacks the right, or may not change that namespace.',
    tool_conflict: 'Another backend of the tool gives a different definition; the message names the fields.',
    version_mismatch: 'The version of the content differs from `If-Match`.',
    server_exists: 'There is a server of that name already: change it, or choose another name.',
    server_unreachable: 'The MCP server could not be reached or read; the message says why.',
    stale_cursor: 'The cursor or version is from before a reset, or its data is no longer kept: start again.',
    limit_exceeded: 'Too many tools, backends, examples or ids.',
    storage_unavailable: 'The store does not answer.',
    storage_full: 'The disk is full: nothing was changed; reads still work.',
  },
  schemas,
  own: {
    RegisterRequest: withItems(jsonSchema(RegisterRequest, 'input'), 'tools', 'RegistrationRequest'),
    RegistrationRequest: jsonSchema(RegistrationRequest, 'input'),
    ExamplesRequest: withItems(jsonSchema(ExamplesRequest, 'input'), 'examples', 'RegistryExample'),
    RegistryExample: jsonSchema(RegistryExample, 'input'),
    ErrorResponse: jsonSchema(RegistryErrorResponse, 'output'),
    McpRequest: {
      type: 'object',
      description: 'A message of the Model Context Protocol, as JSON-RPC 2.0.',
    },
  },
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'overloaded', 'internal'],
});

/** A schema whose list has items of another schema: the description includes what the registry checks itself. */
function withItems(schema: JsonObject, property: string, items: string): JsonObject {
  const properties = schema.properties as Record<string, JsonObject>;
  const list = { ...properties[property], items: { $ref: `#/components/schemas/${items}` } };
  return { ...schema, properties: { ...properties, [property]: list } };
}

const ID = parameter(
  'path',
  'id',
  'An id such as `jira:create_issue`, or a model name such as `jira__create_issue`.',
);
const SERVER = parameter('path', 'name', 'The name of an MCP server.');
const IF_MATCH = parameter('header', 'If-Match', 'The version that the content must have, such as `"12"`.');

/** The parameters and errors of lists in pages. */
const PAGE = [
  parameter('query', 'cursor', '`next_cursor` of the previous page.'),
  parameter('query', 'page_size', '1 to 100; 10 by default.'),
];
const PAGE_ERRORS = ['invalid_cursor', 'stale_cursor'] as const;

/** Errors of a request that changes the content. */
const CHANGE_ERRORS = ['version_mismatch', 'limit_exceeded', 'storage_unavailable', 'storage_full'] as const;

/** The paths of MCP servers. */
function describeServers(): JsonObject {
  return DESCRIPTION.operations({
    'GET /v1/registry/servers': {
      id: 'listServers',
      summary: 'The state of the MCP servers that fill the registry',
      response: 'ServerListResponse',
    },
    'POST /v1/registry/servers': {
      id: 'addServer',
      summary: 'Fill the registry from another MCP server behind an address',
      body: {
        schema: 'AddServerRequest',
        example: { name: 'docs', url: 'https://docs.example.com/mcp', namespace: 'docs', pin: true },
      },
      response: 'ServerResponse',
      errors: ['server_exists'],
    },
    'GET /v1/registry/servers/{name}': {
      id: 'getServer',
      summary: 'How one server is',
      parameters: [SERVER],
      response: 'ServerResponse',
      errors: ['not_found'],
    },
    'PATCH /v1/registry/servers/{name}': {
      id: 'changeServer',
      summary: 'Change a server that was added over HTTP',
      parameters: [SERVER],
      body: { schema: 'ChangeServerRequest', example: { enabled: false, prefix: null } },
      response: 'ServerResponse',
      errors: ['not_found'],
    },
    'DELETE /v1/registry/servers/{name}': {
      id: 'removeServer',
      summary: 'Remove a server that was added over HTTP, and its tools',
      parameters: [SERVER],
      response: 'RemoveServerResponse',
      errors: ['not_found', 'storage_unavailable', 'storage_full'],
    },
    'POST /v1/registry/servers/{name}/refresh': {
      id: 'refreshServer',
      summary: 'Read the list of a server now',
      parameters: [SERVER],
      response: 'ServerResponse',
      errors: ['not_found', 'server_unreachable', 'limit_exceeded', 'storage_unavailable'],
    },
    'GET /v1/registry/servers/{name}/tools': {
      id: 'listServerTools',
      summary: 'The tools of a server, by id',
      parameters: [SERVER, ...PAGE],
      response: 'ToolListResponse',
      errors: ['not_found', ...PAGE_ERRORS],
    },
    'POST /v1/registry/servers/{name}/approve': {
      id: 'approveDefinitions',
      summary: 'Approve changed definitions of a pinned server',
      parameters: [SERVER],
      body: { schema: 'ApproveRequest', example: { tools: [{ id: 'docs:search' }] } },
      response: 'ApproveResponse',
      errors: ['not_found', 'limit_exceeded', 'storage_unavailable'],
    },
  });
}

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

/** The paths of searches and of registered content. */
function describeTools(): JsonObject {
  return DESCRIPTION.operations({
    'POST /v1/registry/search': {
      id: 'searchRegistry',
      summary: 'Find the registered tools that fit a query best',
      body: {
        schema: 'RegistrySearchRequest',
        example: { query: 'open a ticket', page_size: 5, include: ['metadata'] },
      },
      response: 'RegistrySearchResponse',
      errors: PAGE_ERRORS,
    },
    'PUT /v1/registry/tools': {
      id: 'registerTools',
      summary: 'Register 1 to 1,000 tools: all of them, or none',
      parameters: [IF_MATCH],
      body: { schema: 'RegisterRequest', example: { tools: [EXAMPLE_TOOL] } },
      response: 'RegisterResponse',
      errors: [...CHANGE_ERRORS, 'invalid_tool', 'invalid_backend', 'tool_conflict'],
    },
    'GET /v1/registry/tools': {
      id: 'listTools',
      summary: 'Summaries of all tools, by id',
      parameters: [
        ...PAGE,
        parameter('query', 'namespace', 'Only tools of this namespace.'),
        parameter('query', 'tag', 'Only tools with this tag.'),
        parameter('query', 'server', 'Only tools of this MCP server.'),
        parameter('query', 'include', '`schemas` adds the definition of each tool.'),
      ],
      response: 'ToolListResponse',
      errors: PAGE_ERRORS,
    },
    'GET /v1/registry/tools/{id}': {
      id: 'readTool',
      summary: 'One tool; its ETag is the hash of its content',
      parameters: [
        ID,
        parameter('query', 'detail', '`summary`, `schema` (the default) or `full`, in increasing detail.'),
      ],
      response: 'ToolDetailResponse',
      errors: ['not_found'],
    },
    'DELETE /v1/registry/tools/{id}': {
      id: 'removeTool',
      summary: 'Remove a tool, or one of its backends',
      parameters: [
        ID,
        IF_MATCH,
        parameter('query', 'backend', 'One backend as JSON, such as `{"kind":"mcp","server":"jira"}`.'),
      ],
      response: 'ChangeResponse',
      errors: [...CHANGE_ERRORS, 'not_found', 'invalid_backend'],
    },
    'PUT /v1/registry/tools/{id}/examples': {
      id: 'setExamples',
      summary: 'Replace the examples of a tool',
      parameters: [ID, IF_MATCH],
      body: {
        schema: 'ExamplesRequest',
        example: { examples: [{ title: 'A bug', arguments: { project: 'WEB', summary: 'It is broken' } }] },
      },
      response: 'ChangeResponse',
      errors: [...CHANGE_ERRORS, 'not_found', 'invalid_example'],
    },
    'GET /v1/registry/namespaces': {
      id: 'listNamespaces',
      summary: 'Namespaces and their numbers of tools',
      parameters: PAGE,
      response: 'NamespaceListResponse',
      errors: PAGE_ERRORS,
    },
    'POST /v1/registry/expand': {
      id: 'expandTools',
      summary: 'Full definitions of up to 50 tools, after a search',
      body: { schema: 'ExpandRequest', example: { ids: ['jira:create_issue'] } },
      response: 'ExpandResponse',
      errors: ['limit_exceeded'],
    },
    'GET /v1/registry/stats': { id: 'readStats', summary: 'How much there is', response: 'StatsResponse' },
    'GET /v1/registry/changes': {
      id: 'followChanges',
      summary: 'Every change, as server-sent events with ids to resume from',
      parameters: [
        parameter(
          'query',
          'since',
          'A version, or the id of an event: later changes are sent first. Without it, the feed begins now.',
        ),
        parameter('query', 'epoch', 'The epoch that `since` belongs to; 409 if the registry has been reset.'),
        parameter('header', 'Last-Event-ID', 'Like `since`; browsers send it automatically.'),
      ],
      response: {
        description:
          'Events named by their type, whose data is a `ChangeEventData`; a comment every 15 seconds. The headers `Winnow-Registry-Epoch` and `Winnow-Registry-Version` give the starting point.',
        content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/ChangeEventData' } } },
      },
      errors: ['stale_cursor'],
    },
  });
}

/** The paths of models and of MCP clients: the search tool, the front door, and calls. */
function describeClients(): JsonObject {
  const body = {
    schema: 'McpRequest',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  } as const;
  return DESCRIPTION.operations({
    'POST /v1/registry/usage': {
      id: 'countUsage',
      summary: 'Count calls of tools',
      body: { schema: 'UsageRequest', example: { ids: ['jira__create_issue'] } },
    },
    'GET /v1/registry/usage': {
      id: 'readCalls',
      summary: 'Outcomes of calls through the MCP front door, by tool, since this instance started',
      response: 'CallsResponse',
    },
    'GET /v1/registry/search-tool': {
      id: 'readSearchTool',
      summary:
        'What a model needs to search: a definition, a text for its system prompt, and the first tools',
      parameters: [
        parameter(
          'query',
          'format',
          'Whose shape: openai-chat (the default), openai-responses, anthropic, gemini, bedrock, mcp, spring.',
        ),
      ],
      response: 'SearchToolResponse',
    },
    'POST /v1/registry/search-tool/search': {
      id: 'answerSearchTool',
      summary: "Answer a model's call of the search tool",
      body: {
        schema: 'SearchToolRequest',
        example: {
          format: 'openai-chat',
          arguments: '{"query":"open a ticket","max_results":3}',
          known: [],
        },
      },
      response: 'SearchToolAnswerResponse',
    },
    'POST /mcp': {
      id: 'serveMcp',
      summary:
        'The registry as an MCP server (streamable HTTP, revision 2026-07-28 and those before): search_tools, call_tool, describe_tools, and tools that are always loaded',
      body,
      errors: ['not_found'],
    },
    'POST /mcp/read-only': {
      id: 'serveMcpReadOnly',
      summary:
        'The same, but only tools that a trusted server declares read-only are called; other calls get the error not_read_only',
      body,
      errors: ['not_found'],
    },
  });
}
