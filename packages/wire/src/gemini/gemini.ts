import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { CHOICE } from '../format/load-rules.ts';
import { countsIn } from '../format/response-joiner.ts';
import { jsonArray } from '../framing/json-array.ts';
import { gemini as vendor } from '../vendors/gemini.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest, preloadForms } from './edit-request.ts';
import { joinResponses } from './join-responses.ts';
import { ROUTES, readRequest } from './read-request.ts';
import { countTokens } from './read-round.ts';
import { holdsSignatures, turns } from './turns.ts';

/**
 * Gemini's `generateContent`, for the Gemini API and Vertex AI. There is no native mode.
 *
 * A stream is server-sent events with `alt=sse`, otherwise a JSON array with the content type of a whole
 * response. Neither has a heartbeat: older clients take a comment for a broken response.
 */
export const gemini: Format = {
  name: turns.format,
  vendor,
  heartbeat: undefined,
  // Source: https://ai.google.dev/gemini-api/docs/caching (implicit caching).
  loading: { modes: ['bridge', 'swap'], nativeModels: [], edits: [CHOICE] },
  reading: { routes: ROUTES, readRequest },
  editing: { editRequest, preloadForms },
  joining: {
    framingOf: ({ isStream }, contentType) =>
      isStream && contentType?.trim().toLowerCase().startsWith('application/json') ? jsonArray : undefined,
    joinResponses: joinBridged(joinResponses, bridgeDialect),
    passing: countsIn('usageMetadata', countTokens),
  },
  remembering: turns,
  capabilities: {
    bridge: bridgeDialect,
    thinking: {
      bindingModels: [],
      isThinking: () => false,
      holdsThinking: holdsSignatures,
      // Signatures are bound to contents. Winnow changes none, unless a hidden turn is lost.
      hasLostRounds: holdsSignatures,
    },
  },
};
