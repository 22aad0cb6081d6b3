import type { Format } from '../format/format.ts';
import { openai } from '../vendors/openai.ts';
import { addTools } from './add-tools.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';

/**
 * OpenAI Chat Completions, as OpenAI, Azure and compatible servers speak it. Found tools are loaded by swapping, and natively on servers that are
 * said to know `defer_loading` and `tool_reference`: vLLM, SGLang, Baseten.
 *
 * Sources: vllm-project/vllm#40190, sgl-project/sglang#22702, https://docs.baseten.co/inference/model-apis/deferred-tool-loading.
 */
export const openaiChat: Format = {
  name: FORMAT_NAME,
  vendor: openai,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  holdsThinking: () => false,
  hasLostRounds: () => false,
  addedHeaders: () => [],
  loadModes: () => ['swap'],
  writableModes: ['native', 'swap'],
  isNativeElsewhere: true,
  referenceRefusal: { statuses: [400, 422, 500], words: /tool_reference/ },
  bindsThinking: () => false,
  isThinking: () => false,
  joinResponses,
  historyKeys,
  openingKey,
  shownKeys,
  recall,
  hideTurn,
};
