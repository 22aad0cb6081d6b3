import type { Format } from '../format.ts';
import { openai } from '../vendors/openai.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';

/** OpenAI Chat Completions, as OpenAI, Azure and compatible servers speak it. Found tools are loaded by swapping. */
export const openaiChat: Format = {
  name: FORMAT_NAME,
  vendor: openai,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  matchRoute,
  readRequest,
  editRequest,
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
