import { ERRORS, type ErrorCode, ErrorResponse, SearchRequest, SearchResponse } from '@winnow/core';
import {
  ApiDescription,
  type JsonObject,
  jsonContent,
  jsonSchema,
  REQUEST_ID_HEADER,
  REQUEST_ID_PARAMETER,
} from '@winnow/service';
import { SEARCH_PATH } from './search-route.ts';

/** Descriptions of the errors, for readers of the API description. */
const MEANINGS = {
  unknown_catalog: 'This instance does not hold the `catalog_id`; send the tools again.',
  forbidden: 'This token may not search the registry.',
  registry_unavailable:
    'The registry has not been reached yet, or denies the selector access; `Retry-After` says when to retry.',
  payload_too_large: 'The body exceeds the size limit or has too many tools.',
};

const DESCRIPTION = new ApiDescription({
  statuses: ERRORS,
  meanings: MEANINGS,
  schemas: { SearchRequest, SearchResponse },
  own: { ErrorResponse: jsonSchema(ErrorResponse, 'output') },
});

const SEARCH_ERRORS: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'unauthorized',
  'forbidden',
  'unknown_catalog',
  'registry_unavailable',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'internal',
  'overloaded',
];

/** The first example, also filled into the page's try-it form. */
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

const EXAMPLE_OF_NEEDS = {
  patterns: ['open a pull request', 'weather forecast'],
  catalog_id: 'sha256-of-the-tools',
};

const EXAMPLE_OF_REGISTRY = { pattern: 'open a ticket', catalog_id: 'registry:jira' };

const EXAMPLE_RESPONSE = { selected_names: ['create_pull_request', 'list_issues'] };

/**
 * Returns the OpenAPI 3.1 description of the service, generated from the validation schemas.
 *
 * Source: https://spec.openapis.org/oas/v3.1.0
 */
export function describeApi(): JsonObject {
  return DESCRIPTION.document(
    {
      title: 'Winnow selector',
      version: '1.0.0',
      description: 'Selects the tools that fit a query best.',
    },
    { [SEARCH_PATH]: { post: describeSearch() } },
  );
}

function describeSearch(): JsonObject {
  return {
    operationId: 'searchTools',
    summary: 'Find the tools that fit a query best',
    security: [{ bearer: [] }, {}],
    parameters: [REQUEST_ID_PARAMETER],
    requestBody: {
      required: true,
      description: 'May be compressed: gzip, br, zstd or deflate.',
      content: jsonContent('SearchRequest', {
        withTools: { summary: 'With its tools', value: EXAMPLE_REQUEST },
        byId: { summary: 'Tools that were sent before', value: EXAMPLE_BY_ID },
        ofNeeds: { summary: 'Several needs at once', value: EXAMPLE_OF_NEEDS },
        ofRegistry: {
          summary: 'Tools of the registry that the selector follows',
          value: EXAMPLE_OF_REGISTRY,
        },
      }),
    },
    responses: {
      200: {
        description: 'The selected tools, most relevant first.',
        headers: { ...REQUEST_ID_HEADER, ...TIMING_HEADER },
        content: jsonContent('SearchResponse', { found: { value: EXAMPLE_RESPONSE } }),
      },
      ...DESCRIPTION.errors(SEARCH_ERRORS),
    },
  };
}

const TIMING_HEADER = {
  'Server-Timing': {
    description: 'Milliseconds spent in `parse`, `index` and `rank`.',
    schema: { type: 'string' },
  },
};
