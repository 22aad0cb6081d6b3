import {
  AddServerRequest,
  ApproveRequest,
  ApproveResponse,
  CallsResponse,
  ChangeEventData,
  ChangeResponse,
  ChangeServerRequest,
  ExamplesRequest,
  ExpandRequest,
  ExpandResponse,
  NamespaceListResponse,
  REGISTRY_ERRORS,
  RegisterRequest,
  RegisterResponse,
  RegistrationRequest,
  type RegistryErrorCode,
  RegistryErrorResponse,
  RegistryExample,
  RegistrySearchRequest,
  RegistrySearchResponse,
  RemoveServerResponse,
  SearchToolAnswerResponse,
  SearchToolRequest,
  SearchToolResponse,
  ServerListResponse,
  ServerResponse,
  StatsResponse,
  ToolDetailResponse,
  ToolListResponse,
  UsageRequest,
} from '@winnow/contract';
import {
  ApiDescription,
  type JsonObject,
  jsonContent,
  jsonSchema,
  REQUEST_ID_HEADER,
  REQUEST_ID_PARAMETER,
} from '@winnow/json-api';

/** When each error happens, for whoever reads the description. */
const ERROR_MEANINGS: Readonly<Record<RegistryErrorCode, string>> = {
  invalid_json: 'The body is not JSON, not UTF-8, or does not decompress.',
  invalid_request: 'Wrong types, a missing field, or a number out of range; `details` names each path.',
  unauthorized: 'Tokens are configured and the bearer token is missing or wrong.',
  not_found: 'There is no such tool, as far as the token may see, or no such route.',
  method_not_allowed: 'The route exists, with another method; `Allow` names it.',
  request_timeout: 'The request did not arrive in full in time.',
  payload_too_large: 'The body is larger than the cap.',
  unsupported_media_type: 'The content-type is not JSON, or the content-encoding is not supported.',
  internal: 'A defect of the registry; logged with the request id.',
  overloaded:
    'Too many requests are waiting, or the service starts or ends; `Retry-After` says when to come back.',
  invalid_tool:
    'A name, namespace, schema or text is not allowed; `details` names the place of each problem.',
  invalid_backend: 'A field of the backend is missing or empty.',
  invalid_example: 'An example is too large, or the schema of the tool does not allow its arguments.',
  invalid_cursor: 'The cursor is malformed, forged, or of another query.',
  forbidden: 'The token lacks the right, or may not change that namespace.',
  tool_conflict: 'Another backend of the tool gives a different definition; the message names the fields.',
  version_mismatch: 'The content has another version than `If-Match` says.',
  server_exists: 'There is a server of that name already: change it, or choose another name.',
  server_unreachable: 'The MCP server could not be reached or read; the message says why.',
  stale_cursor: 'The cursor or version is of an earlier life, or of what is no longer kept: begin again.',
  limit_exceeded: 'More tools, backends, examples or ids than there may be.',
  search_unavailable: 'No searcher can answer now.',
  storage_unavailable: 'The store does not answer.',
  storage_full: 'The disk is full: nothing was changed, and reading goes on.',
};

const DESCRIPTION = new ApiDescription({ statuses: REGISTRY_ERRORS, meanings: ERROR_MEANINGS });

const READING: readonly RegistryErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'overloaded',
  'internal',
];
const POSTING: readonly RegistryErrorCode[] = [
  ...READING,
  'invalid_json',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];
const CHANGING: readonly RegistryErrorCode[] = [
  'version_mismatch',
  'limit_exceeded',
  'storage_unavailable',
  'storage_full',
];

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

const SCHEMAS = {
  RegistrySearchRequest: jsonSchema(RegistrySearchRequest, 'input'),
  RegistrySearchResponse: jsonSchema(RegistrySearchResponse, 'output'),
  RegisterRequest: withItems(jsonSchema(RegisterRequest, 'input'), 'tools', 'RegistrationRequest'),
  RegistrationRequest: jsonSchema(RegistrationRequest, 'input'),
  RegisterResponse: jsonSchema(RegisterResponse, 'output'),
  ChangeResponse: jsonSchema(ChangeResponse, 'output'),
  ToolListResponse: jsonSchema(ToolListResponse, 'output'),
  ToolDetailResponse: jsonSchema(ToolDetailResponse, 'output'),
  ExamplesRequest: withItems(jsonSchema(ExamplesRequest, 'input'), 'examples', 'RegistryExample'),
  RegistryExample: jsonSchema(RegistryExample, 'input'),
  NamespaceListResponse: jsonSchema(NamespaceListResponse, 'output'),
  ExpandRequest: jsonSchema(ExpandRequest, 'input'),
  ExpandResponse: jsonSchema(ExpandResponse, 'output'),
  UsageRequest: jsonSchema(UsageRequest, 'input'),
  StatsResponse: jsonSchema(StatsResponse, 'output'),
  SearchToolResponse: jsonSchema(SearchToolResponse, 'output'),
  SearchToolRequest: jsonSchema(SearchToolRequest, 'input'),
  SearchToolAnswerResponse: jsonSchema(SearchToolAnswerResponse, 'output'),
  CallsResponse: jsonSchema(CallsResponse, 'output'),
  ChangeEventData: jsonSchema(ChangeEventData, 'output'),
  ErrorResponse: jsonSchema(RegistryErrorResponse, 'output'),
  ServerListResponse: jsonSchema(ServerListResponse, 'output'),
  ServerResponse: jsonSchema(ServerResponse, 'output'),
  AddServerRequest: jsonSchema(AddServerRequest, 'input'),
  ChangeServerRequest: jsonSchema(ChangeServerRequest, 'input'),
  RemoveServerResponse: jsonSchema(RemoveServerResponse, 'output'),
  ApproveRequest: jsonSchema(ApproveRequest, 'input'),
  ApproveResponse: jsonSchema(ApproveResponse, 'output'),
  McpRequest: { type: 'object', description: 'A message of the Model Context Protocol, as JSON-RPC 2.0.' },
} as const;

type SchemaName = keyof typeof SCHEMAS;

/** What one operation is described by. */
interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  /** Undefined for a response that has no form of its own. */
  readonly response?: SchemaName;
  readonly errors: readonly RegistryErrorCode[];
}

const text = (name: string, description: string): JsonObject => ({
  name,
  in: 'query',
  required: false,
  schema: { type: 'string' },
  description,
});

const ID: JsonObject = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'An id such as `jira:create_issue`, or a model name such as `jira__create_issue`.',
};
const SERVER: JsonObject = {
  name: 'name',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The name of an MCP server.',
};
const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The version that the content must have, such as `"12"`.',
};
const PAGE = [
  text('cursor', '`next_cursor` of the page before.'),
  text('page_size', '1 to 100; 10 when it is missing.'),
];

/** The OpenAPI 3.1 description of the service, made from the schemas that validate. */
export function describeApi(version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Winnow registry',
      version,
      description:
        'Tools that stay: registered once, searched by everybody who may see them, watched for changes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: { ...describeRoutes(), ...DESCRIPTION.ownPaths() },
    components: { schemas: SCHEMAS, securitySchemes: DESCRIPTION.securitySchemes },
  };
}

function describeServers(): JsonObject {
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

function describeRoutes(): JsonObject {
  return {
    ...describeServers(),
    '/v1/registry/search': {
      post: describe({
        id: 'searchRegistry',
        summary: 'Find the registered tools that fit a query best',
        body: {
          schema: 'RegistrySearchRequest',
          example: { query: 'open a ticket', page_size: 5, include: ['metadata'] },
        },
        response: 'RegistrySearchResponse',
        errors: [...POSTING, 'invalid_cursor', 'stale_cursor', 'search_unavailable'],
      }),
    },
    '/v1/registry/tools': {
      put: describe({
        id: 'registerTools',
        summary: 'Register 1 to 1,000 tools: all of them, or none',
        parameters: [IF_MATCH],
        body: { schema: 'RegisterRequest', example: { tools: [EXAMPLE_TOOL] } },
        response: 'RegisterResponse',
        errors: [...POSTING, ...CHANGING, 'invalid_tool', 'invalid_backend', 'tool_conflict'],
      }),
      get: describe({
        id: 'listTools',
        summary: 'Summaries of all tools, by id',
        parameters: [
          ...PAGE,
          text('namespace', 'Tools of this namespace alone.'),
          text('tag', 'Tools with this tag alone.'),
          text('server', 'Tools of this MCP server alone.'),
          text('include', '`schemas` adds the definition of each tool.'),
        ],
        response: 'ToolListResponse',
        errors: [...READING, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/tools/{id}': {
      get: describe({
        id: 'readTool',
        summary: 'One tool; its ETag is the hash of its content',
        parameters: [ID, text('detail', '`summary`, `schema` (the default) or `full`; each tells more.')],
        response: 'ToolDetailResponse',
        errors: [...READING, 'not_found'],
      }),
      delete: describe({
        id: 'removeTool',
        summary: 'Remove a tool, or one of its backends',
        parameters: [
          ID,
          IF_MATCH,
          text('backend', 'One backend as JSON, such as `{"kind":"mcp","server":"jira"}`.'),
        ],
        response: 'ChangeResponse',
        errors: [...READING, ...CHANGING, 'not_found', 'invalid_backend'],
      }),
    },
    '/v1/registry/tools/{id}/examples': {
      put: describe({
        id: 'setExamples',
        summary: 'Replace the examples of a tool',
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
      get: describe({
        id: 'listNamespaces',
        summary: 'Namespaces and how many tools they have',
        parameters: PAGE,
        response: 'NamespaceListResponse',
        errors: [...READING, 'invalid_cursor', 'stale_cursor'],
      }),
    },
    '/v1/registry/expand': {
      post: describe({
        id: 'expandTools',
        summary: 'Full definitions of up to 50 tools, after a search',
        body: { schema: 'ExpandRequest', example: { ids: ['jira:create_issue'] } },
        response: 'ExpandResponse',
        errors: [...POSTING, 'limit_exceeded'],
      }),
    },
    '/v1/registry/usage': {
      post: describe({
        id: 'countUsage',
        summary: 'Count calls of tools',
        body: { schema: 'UsageRequest', example: { ids: ['jira__create_issue'] } },
        errors: POSTING,
      }),
      get: describe({
        id: 'readCalls',
        summary: 'What became of calls through the MCP front door, by tool, since this instance started',
        response: 'CallsResponse',
        errors: READING,
      }),
    },
    '/v1/registry/search-tool': {
      get: describe({
        id: 'readSearchTool',
        summary:
          'What to give a model so that it can search: a definition, a text for its system prompt, and tools to begin with',
        parameters: [
          text(
            'format',
            'Whose shape: openai-chat (the default), openai-responses, anthropic, gemini, bedrock, mcp, spring.',
          ),
        ],
        response: 'SearchToolResponse',
        errors: READING,
      }),
    },
    '/v1/registry/search-tool/search': {
      post: describe({
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
        errors: [...POSTING, 'search_unavailable'],
      }),
    },
    '/v1/registry/stats': {
      get: describe({
        id: 'readStats',
        summary: 'How much there is',
        response: 'StatsResponse',
        errors: READING,
      }),
    },
    '/v1/registry/changes': { get: describeChanges() },
    '/mcp': {
      post: describe({
        id: 'serveMcp',
        summary:
          'The registry as an MCP server (streamable HTTP, revision 2026-07-28 and those before): search_tools, call_tool, describe_tools, and tools that are always loaded',
        body: {
          schema: 'McpRequest',
          example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
        },
        errors: [...POSTING, 'not_found'],
      }),
    },
    '/mcp/read-only': {
      post: describe({
        id: 'serveMcpReadOnly',
        summary:
          'The same, but that only tools are called of which a trusted server says that they only read; calls of others are answered with the error not_read_only',
        body: {
          schema: 'McpRequest',
          example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
        },
        errors: [...POSTING, 'not_found'],
      }),
    },
  };
}

function describe({ id, summary, parameters = [], body, response, errors }: Operation): JsonObject {
  const content = response
    ? { 'application/json': { schema: { $ref: `#/components/schemas/${response}` } } }
    : { 'application/json': { schema: { type: 'object' } } };
  return {
    operationId: id,
    summary,
    security: [{ bearer: [] }, {}],
    parameters: [...parameters, REQUEST_ID_PARAMETER],
    ...(body && {
      requestBody: {
        required: true,
        description: 'May be compressed: gzip, br, zstd or deflate.',
        content: jsonContent(body.schema, { example: { value: body.example } }),
      },
    }),
    responses: {
      200: { description: 'Done.', headers: REQUEST_ID_HEADER, content },
      ...DESCRIPTION.errors(errors),
    },
  };
}

function describeChanges(): JsonObject {
  return {
    operationId: 'followChanges',
    summary: 'Every change, as server-sent events whose ids lead back to where a reader was',
    security: [{ bearer: [] }, {}],
    parameters: [
      text(
        'since',
        'A version, or the id of an event: what came since is sent first. From now on without it.',
      ),
      text('epoch', 'The epoch that `since` belongs to; 409 when the registry has begun anew.'),
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        schema: { type: 'string' },
        description: 'As `since`; what a browser sends by itself.',
      },
    ],
    responses: {
      200: {
        description:
          'Events named by their type, whose data is a `ChangeEventData`; a comment every 15 seconds. The headers `Winnow-Registry-Epoch` and `Winnow-Registry-Version` say where it begins.',
        content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/ChangeEventData' } } },
      },
      ...DESCRIPTION.errors([...READING, 'stale_cursor']),
    },
  };
}

/** A schema whose list has items of another schema: what the registry checks by itself is described all the same. */
function withItems(schema: JsonObject, property: string, items: string): JsonObject {
  const properties = schema.properties as Record<string, JsonObject>;
  const list = { ...properties[property], items: { $ref: `#/components/schemas/${items}` } };
  return { ...schema, properties: { ...properties, [property]: list } };
}
