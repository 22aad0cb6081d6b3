import type { Format } from '../format/format.ts';
import { gemini } from '../vendors/gemini.ts';
import { addTools } from './add-tools.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';
import { holdsSignatures } from './sign-thoughts.ts';
import { storedInteractions } from './stored-interactions.ts';

/**
 * Gemini's Interactions API, with models: agents are left alone. Found tools are loaded by swapping.
 *
 * Source: https://ai.google.dev/gemini-api/docs/interactions-overview
 */
export const geminiInteractions: Format = {
  name: FORMAT_NAME,
  vendor: gemini,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  holdsThinking: holdsSignatures,
  // Signatures are bound to steps, which nothing of ours changes but a hidden turn that is lost.
  hasLostRounds: holdsSignatures,
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
  storedResponses: storedInteractions,
};
