import type { Format } from '../format/format.ts';
import { jsonArray } from '../framing/json-array.ts';
import { gemini as vendor } from '../vendors/gemini.ts';
import { addTools } from './add-tools.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';
import { holdsSignatures } from './sign-calls.ts';

/**
 * Gemini's `generateContent`, as the Gemini API and Vertex AI speak it. Found tools are loaded by swapping.
 *
 * A stream is server-sent events with `alt=sse`, else a JSON array under the content type of a whole response. Neither has anything that keeps
 * its line alive: older clients take a comment for a broken response.
 */
export const gemini: Format = {
  name: FORMAT_NAME,
  vendor,
  heartbeat: undefined,
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  framingOf: ({ isStream }, contentType) =>
    isStream && contentType?.trim().toLowerCase().startsWith('application/json') ? jsonArray : undefined,
  holdsThinking: holdsSignatures,
  // Signatures are bound to contents, which nothing of ours changes but a hidden turn that is lost.
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
};
