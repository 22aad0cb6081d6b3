import type { Format } from '../format/format.ts';
import { openai } from '../vendors/openai.ts';
import { addTools } from './add-tools.ts';
import { hasLostRounds, holdsReasoning } from './drop-reasoning.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { polyfill } from './polyfill/polyfill.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';
import { storedResponses } from './stored-responses.ts';
import { supportsToolSearch } from './supports-tool-search.ts';

/**
 * OpenAI's Responses API, its token counter included, as OpenAI, Azure and compatible servers speak it.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses. Deferred tools: https://platform.openai.com/docs/guides/tools-tool-search.
 */
export const openaiResponses: Format = {
  name: FORMAT_NAME,
  vendor: openai,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  holdsThinking: holdsReasoning,
  hasLostRounds,
  // Source: https://github.com/maximhq/bifrost/issues/5410. Nothing tells whether it always has the same status.
  unstoredRefusal: { statuses: [400, 404], words: /Item with id '[^']*' not found/ },
  addedHeaders: () => [],
  loadModes: (model) => (model !== undefined && supportsToolSearch(model) ? ['native', 'swap'] : ['swap']),
  writableModes: ['native', 'swap'],
  bindsThinking: () => false,
  isThinking: () => false,
  joinResponses,
  historyKeys,
  openingKey,
  shownKeys,
  recall,
  hideTurn,
  storedResponses,
  polyfill,
};
