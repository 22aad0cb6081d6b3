import { ERRORS, ErrorAnswer, type ErrorCode, SearchAnswer, SearchRequest } from '@winnow/contract';
import { z } from 'zod';
import { SEARCH_PATH } from './search-path.ts';

/** A JSON object whose shape the OpenAPI specification gives. */
type JsonObject = { readonly [key: string]: unknown };

/** When each error happens, for whoever reads the description. */
const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not JSON, not UTF-8, or does not decompress.',
  invalid_request: 'Wrong types, a missing field, or a number out of range; `details` names each path.',
  unauthorized: 'Tokens are configured and the bearer token is missing or wrong.',
  not_found: 'There is no such route.',
  unknown_catalog: 'This instance does not hold the `catalog_id`; send the tools again.',
  method_not_allowed: 'The route exists, with another method; `Allow` names it.',
  request_timeout: 'The request did not arrive in full in time.',
  payload_too_large: 'The body is larger than the cap, or has too many tools.',
  unsupported_media_type: 'The content-type is not JSON, or the content-encoding is not supported.',
  internal: 'A defect of the selector; logged with the request id.',
  overloaded:
    'Too many requests are waiting, or the selector is shutting down; `Retry-After` says when to come back.',
};

const SEARCH_ERRORS: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'unauthorized',
  'unknown_catalog',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'internal',
  'overloaded',
];

/** Shown first and filled into the try-it form of the page. */
const EXAMPLE_REQUEST = {
  pattern: 'open a pull request',
  top_k: 2,
  include: ['scores', 'metadata'],
  tools: [
    {
      name: 'create_pull_request',
      description: 'Open a new pull request in a repository.',
      definition: {
        type: 'function',
        function: {
          name: 'create_pull_request',
          parameters: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              base: { type: 'string', description: 'Branch to merge into' },
            },
          },
        },
      },
    },
    { name: 'list_issues', description: 'List the issues of a repository.' },
    { name: 'get_weather', description: 'Current weather of a place.' },
  ],
};

const EXAMPLE_BY_ID = { pattern: 'open a pull request', catalog_id: 'sha256-of-the-tools' };

const EXAMPLE_ANSWER = { selected_names: ['create_pull_request', 'list_issues'] };

/**
 * The OpenAPI 3.1 description of the service, made from the schemas that validate.
 *
 * Source: https://spec.openapis.org/oas/v3.1.0
 */
export function describeApi(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Winnow selector',
      version: '1.0.0',
      description: 'Given a query and a list of tools, answers which tools fit best.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: {
      [SEARCH_PATH]: { post: describeSearch() },
      '/healthz': { get: describeProbe('isAlive', 'Whether the process is alive', []) },
      '/readyz': { get: describeProbe('isReady', 'Whether to send requests here', ['overloaded']) },
      '/metrics': { get: describeMetrics() },
      '/openapi.json': { get: describeSelf() },
      '/docs': { get: describePage() },
    },
    components: {
      schemas: {
        SearchRequest: jsonSchema(SearchRequest, 'input'),
        SearchAnswer: jsonSchema(SearchAnswer, 'output'),
        ErrorAnswer: jsonSchema(ErrorAnswer, 'output'),
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Needed when tokens are configured.' },
      },
    },
  };
}

function describeSearch(): JsonObject {
  return {
    operationId: 'searchTools',
    summary: 'Find the tools that fit a query best',
    security: [{ bearer: [] }, {}],
    parameters: [
      {
        name: 'X-Request-Id',
        in: 'header',
        required: false,
        schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
        description: 'Comes back in the answer and stands in the log; made when it is missing or odd.',
      },
    ],
    requestBody: {
      required: true,
      description: 'May be compressed: gzip, br, zstd or deflate.',
      content: jsonContent('SearchRequest', {
        withTools: { summary: 'With its tools', value: EXAMPLE_REQUEST },
        byId: { summary: 'Tools that were sent before', value: EXAMPLE_BY_ID },
      }),
    },
    responses: {
      200: {
        description: 'The selected tools, most relevant first.',
        headers: { ...REQUEST_ID_HEADER, ...TIMING_HEADER },
        content: jsonContent('SearchAnswer', { found: { value: EXAMPLE_ANSWER } }),
      },
      ...describeErrors(SEARCH_ERRORS),
    },
  };
}

function describeProbe(operationId: string, summary: string, errors: readonly ErrorCode[]): JsonObject {
  const schema = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };
  return {
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'It is.', content: { 'application/json': { schema } } },
      ...describeErrors(errors),
    },
  };
}

function describeMetrics(): JsonObject {
  const content = { 'text/plain': { schema: { type: 'string' } } };
  return {
    operationId: 'readMetrics',
    summary: 'Metrics in the Prometheus text format',
    security: [{ bearer: [] }, {}],
    responses: { 200: { description: 'The metrics.', content }, ...describeErrors(['unauthorized']) },
  };
}

function describeSelf(): JsonObject {
  const content = { 'application/json': { schema: { type: 'object' } } };
  return {
    operationId: 'describeApi',
    summary: 'This description',
    security: [],
    responses: { 200: { description: 'An OpenAPI 3.1 document.', content } },
  };
}

function describePage(): JsonObject {
  const content = { 'text/html': { schema: { type: 'string' } } };
  return {
    operationId: 'showDocs',
    summary: 'A page that shows this description',
    security: [],
    responses: { 200: { description: 'The page.', content } },
  };
}

const REQUEST_ID_HEADER = {
  'X-Request-Id': { description: 'The id of the request.', schema: { type: 'string' } },
};

const TIMING_HEADER = {
  'Server-Timing': {
    description: 'Milliseconds spent in `parse`, `index` and `rank`.',
    schema: { type: 'string' },
  },
};

/** One response for each status; codes that share a status are examples of the same response. */
function describeErrors(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = Object.groupBy(codes, (code) => String(ERRORS[code]));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, sharing = []]) => [status, describeError(sharing)]),
  );
}

function describeError(codes: readonly ErrorCode[]): JsonObject {
  const examples = codes.map((code) => [
    code,
    { summary: ERROR_MEANINGS[code], value: { error: { code, message: ERROR_MEANINGS[code] } } },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join(' '),
    headers: REQUEST_ID_HEADER,
    content: jsonContent('ErrorAnswer', Object.fromEntries(examples)),
  };
}

function jsonContent(schema: string, examples: JsonObject): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}

/** The schema without its `$schema`: an OpenAPI document names its dialect itself. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    // A tool's definition is a custom check, which has no JSON schema but the `type` in its metadata.
    unrepresentable: 'any',
  });
  return rest;
}
