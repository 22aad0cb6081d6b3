import type { Format } from '../format/format.ts';
import { ollama } from '../vendors/ollama.ts';
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
 * Ollama's own chat API. Found tools are loaded by swapping.
 *
 * Sources: https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion, and `ChatHandler` of its server.
 */
export const ollamaChat: Format = {
  name: FORMAT_NAME,
  vendor: ollama,
  // Every line is taken for a part of the response, and a blank one for a fault of it.
  heartbeat: undefined,
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  holdsThinking: () => false,
  hasLostRounds: () => false,
  addedHeaders: () => [],
  loadModes: () => ['swap'],
  writableModes: ['swap'],
  bindsThinking: () => false,
  isThinking: () => false,
  joinResponses,
  historyKeys,
  openingKey,
  shownKeys,
  recall,
  hideTurn,
};
