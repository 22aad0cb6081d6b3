import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { openai } from '../vendors/openai.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { hasLostRounds, holdsReasoning } from './drop-reasoning.ts';
import { editRequest } from './edit-request.ts';
import { writeTool } from './edit-tools.ts';
import { joinResponses } from './join-responses.ts';
import { polyfill } from './polyfill/polyfill.ts';
import { preloadForms } from './preload.ts';
import { readRequest } from './read-request.ts';
import { SEARCHING_MODELS } from './searching-models.ts';
import { storedResponses } from './stored-responses.ts';
import { turns } from './turns.ts';

/**
 * OpenAI's Responses API and its token counter, for OpenAI, Azure and compatible servers.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses. Deferred tools:
 * https://platform.openai.com/docs/guides/tools-tool-search.
 */
export const openaiResponses: Format = {
  name: turns.format,
  vendor: openai,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  loading: { modes: ['native', 'bridge', 'swap'], nativeModels: SEARCHING_MODELS },
  reading: {
    // Compaction and requests about one response by its id are different requests.
    routes: [
      [/\/responses\/?$/, 'answer'],
      [/\/responses\/input_tokens\/?$/, 'count_tokens'],
    ],
    readRequest,
  },
  editing: { editRequest, preloadForms },
  joining: { joinResponses: joinBridged(joinResponses, bridgeDialect) },
  remembering: turns,
  capabilities: {
    bridge: bridgeDialect,
    thinking: {
      bindingModels: [],
      isThinking: () => false,
      holdsThinking: holdsReasoning,
      hasLostRounds,
    },
    addedTools: {
      member: 'tools',
      writeTool: (tool) => writeTool(tool),
      writeSection: (entries) => `[${entries}]`,
    },
    storedResponses,
    polyfill,
  },
};
