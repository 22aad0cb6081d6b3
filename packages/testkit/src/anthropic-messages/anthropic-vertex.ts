import { isJsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest, UpstreamFormat } from '../upstream/upstream-format.ts';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';

/**
 * In place of the header of Anthropic's own API: the documented one, and what the vendor's library of today copies from that header.
 *
 * Source: https://docs.claude.com/en/api/claude-on-vertex-ai, @anthropic-ai/vertex-sdk 1.1.3.
 */
const VERSION = /^(?:vertex-2023-10-16|20\d\d-\d\d-\d\d)$/;

/** Claude on Vertex: Messages whose model stands in the path, and whose version in the body. Its counter of tokens is not played. */
export const ANTHROPIC_VERTEX: UpstreamFormat = {
  ...ANTHROPIC_MESSAGES,
  pathEnds: [':rawPredict', ':streamRawPredict'],
  modelOf: ({ path }) => modelIn(path),
  validate: validateVertexRequest,
};

function validateVertexRequest(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  const { path, headers, json } = request;
  if (!headers.authorization) return { status: 401, message: 'Request is missing required authentication.' };
  if (!isJsonObject(json)) return badRequest('The request body is not valid JSON.');
  if ('model' in json) return badRequest('model: Extra inputs are not permitted');
  if (!VERSION.test(String(json.anthropic_version))) return badRequest('anthropic_version: Field required');
  // Names of features that Vertex does not have are refused: https://github.com/anthropics/claude-code/issues/12429.
  if (/advanced-tool-use|tool-search/.test(String(headers['anthropic-beta']))) {
    return badRequest(
      `Unexpected value(s) \`${headers['anthropic-beta']}\` for the \`anthropic-beta\` header.`,
    );
  }
  if (path.includes(':streamRawPredict') !== (json.stream === true)) {
    return badRequest('stream: does not fit the method.');
  }
  const { anthropic_version, ...message } = json;
  const inner = { ...request, headers: { ...headers, 'anthropic-version': '2023-06-01' } };
  return validateMessagesRequest({ ...inner, json: { ...message, model: modelIn(path) } }, rules, 'message');
}

function modelIn(path: string): string {
  return /\/models\/([^/:]+):/.exec(path)?.[1] ?? '';
}
