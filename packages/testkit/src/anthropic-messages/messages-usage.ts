import type { JsonObject } from '../upstream/json-object.ts';
import type { Usage } from '../upstream/scripted-answer.ts';

/** The usage of a whole message, or of `message_start`, which reports one output token. */
export function messagesUsage(usage: Usage, outputTokens = usage.outputTokens): JsonObject {
  const cacheWriteTokens = usage.cacheWriteTokens ?? 0;
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: thinkingTokens(usage),
    server_tool_use: null,
    service_tier: 'standard',
  };
}

/** The cumulative usage of `message_delta`. */
export function messagesFinalUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens ?? 0,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    output_tokens: usage.outputTokens,
    output_tokens_details: thinkingTokens(usage),
    server_tool_use: null,
  };
}

function thinkingTokens({ reasoningTokens }: Usage): JsonObject | null {
  return reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens };
}
