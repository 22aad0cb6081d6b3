import { ANTHROPIC_MESSAGES } from '../anthropic-messages/anthropic-messages.ts';
import { MESSAGES_PING } from '../anthropic-messages/messages-ping.ts';
import { validateMessagesRequest } from '../anthropic-messages/validate-messages-request.ts';
import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { StreamItem } from '../upstream/stream-item.ts';
import type { ProviderRequest, UpstreamFormat } from '../upstream/upstream-format.ts';
import {
  bedrockHeaders,
  bedrockStreamError,
  modelInBedrockPath,
  writeBedrockError,
} from './bedrock-error.ts';
import { eventStreamFraming } from './event-stream-framing.ts';

/** The beta that enables deferred tools on Bedrock. Claude Code sends it to this service. */
const DEFERRAL_BETA = 'tool-search-tool-2025-10-19';

/**
 * The documented version, and the one that the vendor's current library copies from its header for
 * Anthropic's own API.
 *
 * Source: @anthropic-ai/bedrock-sdk 1.1.3.
 */
const VERSION = /^(?:bedrock-2023-05-31|20\d\d-\d\d-\d\d)$/;

/**
 * Claude on Bedrock through InvokeModel: Messages with the model in the path, betas and version in the body,
 * and a stream of base64 in frames.
 */
export const BEDROCK_INVOKE: UpstreamFormat = {
  ...ANTHROPIC_MESSAGES,
  pathEnds: ['/invoke', '/invoke-with-response-stream'],
  framing: eventStreamFraming({
    kindOf: () => 'chunk',
    payloadOf: ({ data }) => JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefghij' }),
  }),
  modelOf: ({ path }) => modelInBedrockPath(path),
  signs: { ping: MESSAGES_PING, error: bedrockStreamError },
  validate: validateInvoke,
  writeError: writeBedrockError,
  writeHeaders: bedrockHeaders,
  wantsStream: ({ path }) => /\/invoke-with-response-stream(?:\?|$)/.test(path),
  writeStream: withMetrics,
};

/** Adds the metrics of the whole response to the last event. */
function* withMetrics(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = answer.usage;
  for (const item of ANTHROPIC_MESSAGES.writeStream(answer, body)) {
    if (item.type !== 'event' || item.event !== 'message_stop') yield item;
    else {
      const metrics = {
        inputTokenCount: inputTokens,
        outputTokenCount: outputTokens,
        invocationLatency: 900,
        firstByteLatency: 300,
        cacheReadInputTokenCount: cacheReadTokens,
        cacheWriteInputTokenCount: cacheWriteTokens,
      };
      yield {
        ...item,
        data: JSON.stringify({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': metrics }),
      };
    }
  }
}

function validateInvoke(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  const { path, headers, json } = request;
  if (!headers.authorization) return { status: 403, message: 'Missing Authentication Token' };
  if (!isJsonObject(json)) return badRequest('The request body is not valid JSON.');
  for (const key of ['model', 'stream']) {
    if (key in json)
      return badRequest(
        `Malformed input request: #: extraneous key [${key}] is not permitted, please reformat your input and try again.`,
      );
  }
  if (!VERSION.test(String(json.anthropic_version))) return badRequest('Invalid API version');
  const betas = Array.isArray(json.anthropic_beta) ? json.anthropic_beta : [];
  if (headers['anthropic-beta'] !== undefined && betas.length === 0) {
    return badRequest('Betas stand in the body: anthropic_beta.');
  }
  const defers = objectsOf(json.tools).some((tool) => tool.defer_loading === true);
  if (defers && !betas.includes(DEFERRAL_BETA))
    return badRequest('tools.0.custom.defer_loading: Extra inputs are not permitted');
  const { anthropic_version, anthropic_beta, ...message } = json;
  const inner = {
    ...request,
    headers: { ...headers, 'anthropic-version': '2023-06-01', 'anthropic-beta': betas.join(',') },
  };
  return validateMessagesRequest(
    { ...inner, json: { ...message, model: modelInBedrockPath(path) } },
    rules,
    'message',
  );
}
