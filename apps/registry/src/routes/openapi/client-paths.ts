import { type JsonObject, parameter } from '@winnow/service';
import { DESCRIPTION, POSTING, READING } from './errors.ts';

/** The paths of models and of MCP clients: the search tool, the front door, and calls. */
export function describeClients(): JsonObject {
  return {
    '/v1/registry/usage': {
      post: DESCRIPTION.describe('countUsage', 'Count calls of tools', {
        body: { schema: 'UsageRequest', example: { ids: ['jira__create_issue'] } },
        errors: POSTING,
      }),
      get: DESCRIPTION.describe(
        'readCalls',
        'What became of calls through the MCP front door, by tool, since this instance started',
        { response: 'CallsResponse', errors: READING },
      ),
    },
    '/v1/registry/search-tool': {
      get: DESCRIPTION.describe(
        'readSearchTool',
        'What to give a model so that it can search: a definition, a text for its system prompt, and tools to begin with',
        {
          parameters: [
            parameter(
              'query',
              'format',
              'Whose shape: openai-chat (the default), openai-responses, anthropic, gemini, bedrock, mcp, spring.',
            ),
          ],
          response: 'SearchToolResponse',
          errors: READING,
        },
      ),
    },
    '/v1/registry/search-tool/search': {
      post: DESCRIPTION.describe('answerSearchTool', "Answer a model's call of the search tool", {
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
    '/mcp': {
      post: DESCRIPTION.describe(
        'serveMcp',
        'The registry as an MCP server (streamable HTTP, revision 2026-07-28 and those before): search_tools, call_tool, describe_tools, and tools that are always loaded',
        {
          body: {
            schema: 'McpRequest',
            example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
          },
          errors: [...POSTING, 'not_found'],
        },
      ),
    },
    '/mcp/read-only': {
      post: DESCRIPTION.describe(
        'serveMcpReadOnly',
        'The same, but that only tools are called of which a trusted server says that they only read; calls of others are answered with the error not_read_only',
        {
          body: {
            schema: 'McpRequest',
            example: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
          },
          errors: [...POSTING, 'not_found'],
        },
      ),
    },
  };
}
