import * as schemas from '@winnow/core';
import { ATTACH_ERRORS, AttachErrorResponse } from '@winnow/core';
import { ApiDescription, BODY_ERRORS, type JsonObject, jsonSchema, parameter } from '@winnow/service';
import { writeAttachError } from '../attach-error.ts';
import { ATTACH_PATH } from './attach.ts';
import { WEBHOOK_PATH } from './webhook.ts';

/** When each error happens, for readers of the API description. */
const MEANINGS = {
  invalid_request:
    'Wrong types, a missing field, a number out of range, or an id that Letta does not accept; `details` names each path.',
  unauthorized: 'Tokens are configured and the bearer token is missing or wrong, or a signature is.',
  agent_not_found: 'Letta has no such agent.',
  in_progress: 'The same request, or another one for this agent, is still being processed.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another body.',
  plan_stale: "The agent's tools are not those that the plan was made for, or the plan is no longer known.",
  letta_error: 'Letta cannot be reached, fails, or sends an unreadable response. Nothing was changed.',
  not_configured: 'A setting that this route needs is missing.',
  store_unavailable: 'The store of locks and stored responses does not answer. Nothing was changed.',
  letta_timeout: 'Letta did not answer in time. Nothing was changed.',
};

const DESCRIPTION = new ApiDescription({
  statuses: ATTACH_ERRORS,
  meanings: MEANINGS,
  schemas,
  own: { ErrorResponse: jsonSchema(AttachErrorResponse, 'output') },
  write: writeAttachError,
  errors: ['unauthorized', 'overloaded', 'internal', 'letta_error', 'letta_timeout', 'not_configured'],
});

/** Errors of a request that changes an agent. */
const CHANGE_ERRORS = [
  'agent_not_found',
  'in_progress',
  'idempotency_conflict',
  'store_unavailable',
] as const;

const AGENT = 'agent-0b1f6c52-7a53-4c1e-9d55-3f1f0a6f2b11';

const IDEMPOTENCY_KEY = parameter(
  'header',
  'Idempotency-Key',
  'Of 1 to 255 characters: for a day, a repeated request gets the response to the first one and `Idempotent-Replay: true`.',
);

/** The OpenAPI 3.1 description of the service, made from the schemas that validate. */
export function describeApi(version: string): JsonObject {
  const description =
    'Attaches the tools that fit a query to agents of a Letta server, and detaches what does not.';
  return DESCRIPTION.document({ title: 'Winnow attach', version, description }, describeRoutes());
}

function describeRoutes(): JsonObject {
  return DESCRIPTION.operations({
    [`POST ${ATTACH_PATH}`]: {
      id: 'attachTools',
      summary: "Make an agent's tools fit a query, within limits, without losing protected ones",
      parameters: [
        IDEMPOTENCY_KEY,
        parameter('header', 'X-Agent-Id', 'If present, it must name the same agent.'),
      ],
      body: {
        schema: 'AttachRequest',
        example: { agent_id: AGENT, query: 'search documents and draw charts', limit: 15, min_score: 50 },
      },
      response: 'AttachResponse',
      errors: [...CHANGE_ERRORS, 'plan_stale'],
    },
    'POST /api/v1/tools/prune': {
      id: 'pruneTools',
      summary: "Take away a share of an agent's MCP tools, the least relevant ones",
      parameters: [IDEMPOTENCY_KEY],
      body: {
        schema: 'PruneRequest',
        example: { agent_id: AGENT, user_prompt: 'draw charts', drop_rate: 0.2 },
      },
      response: 'AttachResponse',
      errors: CHANGE_ERRORS,
    },
    'POST /api/v1/tools/search': {
      id: 'searchTools',
      summary: 'The tools that a query would find, best first',
      body: { schema: 'ToolSearchRequest', example: { query: 'draw charts', limit: 5 } },
      response: 'ToolSearchResponse',
    },
    'GET /api/v1/tools': {
      id: 'listTools',
      summary: 'All tools that can be found',
      response: 'KnownToolsResponse',
    },
    'POST /api/v1/tools/refresh': { id: 'refreshTools', summary: 'Read all tools of Letta now' },
    [`POST ${WEBHOOK_PATH}`]: {
      id: 'notify',
      summary: 'A signed notification that a tool was created, updated or deleted',
      parameters: [
        parameter('header', 'X-Letta-Signature', 'HMAC-SHA256 of the body, in hexadecimal digits.'),
      ],
      errors: BODY_ERRORS,
    },
  });
}
