import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest, UpstreamCounter, UpstreamFormat } from '../upstream/upstream-format.ts';
import { ANTHROPIC_COUNT_TOKENS } from './anthropic-count-tokens.ts';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';

/**
 * Versions that replace the header of Anthropic's own API: the documented one, and the one that the vendor's
 * current library copies from that header.
 *
 * Source: https://docs.claude.com/en/api/claude-on-vertex-ai, @anthropic-ai/vertex-sdk 1.1.3.
 */
const VERSION = /^(?:vertex-2023-10-16|20\d\d-\d\d-\d\d)$/;

/** Claude on Vertex: Messages with the model in the path and the version in the body. */
export const ANTHROPIC_VERTEX: UpstreamFormat = {
  ...ANTHROPIC_MESSAGES,
  pathEnds: [':rawPredict', ':streamRawPredict'],
  modelOf: ({ path }) => modelIn(path),
  validate: validateVertexRequest,
};

/**
 * `POST …/models/count-tokens:rawPredict`: the path names the counter in place of a model, and the body names
 * the model. The version is optional.
 *
 * Source: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens,
 * @anthropic-ai/vertex-sdk 1.1.3.
 */
export const VERTEX_COUNT_TOKENS: UpstreamCounter = {
  ...ANTHROPIC_COUNT_TOKENS,
  pathEnds: ['/count-tokens:rawPredict'],
  validate: validateVertexCount,
};

function validateVertexRequest(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  const { path, json } = request;
  const rejection = rejectAtTheDoor(request);
  if (rejection !== undefined || !isJsonObject(json)) return rejection;
  if ('model' in json) return badRequest('model: Extra inputs are not permitted');
  if (json.anthropic_version === undefined) return badRequest('anthropic_version: Field required');
  if (path.includes(':streamRawPredict') !== (json.stream === true)) {
    return badRequest('stream: does not fit the method.');
  }
  return validateMessagesRequest(asMessages(request, { ...json, model: modelIn(path) }), rules, 'message');
}

function validateVertexCount(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  const rejection = rejectAtTheDoor(request);
  if (rejection !== undefined || !isJsonObject(request.json)) return rejection;
  return validateMessagesRequest(asMessages(request, request.json), rules, 'count');
}

/** Returns the reason for which Vertex itself refuses a request, whatever the route. */
function rejectAtTheDoor({ headers, json }: ProviderRequest): Rejection | undefined {
  if (!headers.authorization) return { status: 401, message: 'Request is missing required authentication.' };
  if (!isJsonObject(json)) return badRequest('The request body is not valid JSON.');
  const { anthropic_version: version } = json;
  if (version !== undefined && !VERSION.test(String(version))) {
    return badRequest(`anthropic_version: "${version}" is not a valid version`);
  }
  // Vertex refuses the names of features that it lacks:
  // https://github.com/anthropics/claude-code/issues/12429.
  if (/advanced-tool-use|tool-search/.test(String(headers['anthropic-beta']))) {
    return badRequest(
      `Unexpected value(s) \`${headers['anthropic-beta']}\` for the \`anthropic-beta\` header.`,
    );
  }
  return undefined;
}

/** Returns the same request in the form of Anthropic's own API. */
function asMessages(
  request: ProviderRequest,
  { anthropic_version, ...message }: JsonObject,
): ProviderRequest {
  return {
    ...request,
    headers: { ...request.headers, 'anthropic-version': '2023-06-01' },
    json: message,
  };
}

function modelIn(path: string): string {
  return /\/models\/([^/:]+):/.exec(path)?.[1] ?? '';
}
