import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { CHOICE } from '../format/load-rules.ts';
import { countsIn } from '../format/response-joiner.ts';
import { openai } from '../vendors/openai.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest, preloadForms } from './edit-request.ts';
import { countTokens, joinResponses } from './join-responses.ts';
import { readRequest } from './read-request.ts';
import { turns } from './turns.ts';

/**
 * OpenAI Chat Completions, for OpenAI, Azure and compatible servers. Found tools are loaded by a bridge or by
 * swapping, and natively on servers that are configured to support `defer_loading` and `tool_reference`: vLLM, SGLang,
 * Baseten.
 *
 * Sources: vllm-project/vllm#40190, sgl-project/sglang#22702,
 * https://docs.baseten.co/inference/model-apis/deferred-tool-loading.
 */
export const openaiChat: Format = {
  name: turns.format,
  vendor: openai,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  loading: {
    modes: ['native', 'bridge', 'swap'],
    nativeModels: [],
    isSpokenByAll: true,
    edits: [{ name: 'usage', statuses: [400, 422], words: /stream_options|include_usage/ }, CHOICE],
    referenceRefusal: { statuses: [400, 422, 500], words: /tool_reference/ },
  },
  reading: {
    // The prefix is `/v1` at OpenAI and most compatible servers, `/api/v1`, `/openai/v1`, `/v1beta/openai` or
    // similar at others, `/openai/deployments/{name}` at Azure, and absent at some.
    routes: [[/\/chat\/completions\/?$/, 'answer']],
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
  },
};
