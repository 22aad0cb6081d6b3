import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { CHOICE } from '../format/load-rules.ts';
import { countsIn } from '../format/response-joiner.ts';
import { blockThinking } from '../turns/block-turns.ts';
import { anthropic } from '../vendors/anthropic.ts';
import { editRequest } from './edit-request.ts';
import { bridgeDialect, preloadForms } from './edit-tools.ts';
import { countTokens, joinResponses } from './join-responses.ts';
import { hostedSearches } from './polyfill/hosted-searches.ts';
import { polyfill } from './polyfill/polyfill.ts';
import { readRequest } from './read-request.ts';
import { dialect, turns } from './turns.ts';

/**
 * Names of the models that support `defer_loading` and `tool_reference`; any other model loads tools by
 * swapping.
 *
 * The vendor's list began with Opus 4.5 and Sonnet 4.5 (tool search, November 2025) and includes every later
 * model. Haiku 4.5 is not listed but accepts deferred tools (measured in August 2026,
 * theopenco/llmgateway#3604). If a server rejects a native request, the original bytes are sent. The name of
 * a model does not identify the server that runs it.
 */
const REFERRING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-4-20250514`), so a minor number has at most two digits.
  /claude-(?:opus|sonnet|haiku)-4[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:opus|sonnet|haiku)-(?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-/,
];

/**
 * Anthropic's Messages API, its token counter and compatible servers.
 *
 * Source: https://docs.claude.com/en/api/messages and
 * https://docs.claude.com/en/docs/build-with-claude/streaming. Deferred tools:
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool.
 */
export const anthropicMessages: Format = {
  name: turns.format,
  vendor: anthropic,
  heartbeat: { kind: 'event', name: 'ping', data: '{"type": "ping"}' },
  loading: {
    modes: ['native', 'bridge', 'swap'],
    nativeModels: REFERRING_MODELS,
    // The vendor's own clients send this beta with every deferred tool.
    edits: [
      { name: 'betas', statuses: [400, 422], words: /anthropic-beta|beta (?:header|flag)|invalid beta/i },
      { name: 'marks', statuses: [400, 422], words: /cache_control/ },
      CHOICE,
    ],
    nativeHeaders: [{ name: 'anthropic-beta', value: 'advanced-tool-use-2025-11-20' }],
    changeHeaders: [{ name: 'anthropic-beta', value: 'mid-conversation-tool-changes-2026-07-01' }],
    changeRefusal: {
      statuses: [400],
      words: /tool_addition|mid-conversation|role '?"?system|system messages?/i,
    },
  },
  reading: {
    // Batches and all other paths below `/v1/messages/` are different requests. On Vertex, the path names the
    // model, and the token counter is a model of its own: https://docs.claude.com/en/api/claude-on-vertex-ai.
    routes: [
      [/\/v1\/messages$/, 'answer'],
      [/\/v1\/messages\/count_tokens$/, 'count_tokens'],
      [/\/publishers\/anthropic\/models\/count-tokens:(?:rawPredict|streamRawPredict)$/, 'count_tokens'],
      [/\/publishers\/anthropic\/models\/[^/:]+:(?:rawPredict|streamRawPredict)$/, 'answer'],
    ],
    readRequest,
  },
  editing: { editRequest, preloadForms },
  joining: {
    joinResponses: joinBridged(joinResponses, bridgeDialect),
    passing: countsIn('usage', countTokens),
  },
  remembering: turns,
  capabilities: {
    bridge: bridgeDialect,
    thinking: blockThinking(dialect),
    cacheMark: '"cache_control":',
    polyfill,
    hostedSearches,
  },
};
