import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { gemini } from '../vendors/gemini.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest } from './edit-request.ts';
import { joinResponses } from './join-responses.ts';
import { preloadForms } from './preload.ts';
import { readRequest } from './read-request.ts';
import { holdsSignatures } from './sign-thoughts.ts';
import { storedInteractions } from './stored-interactions.ts';
import { turns } from './turns.ts';

/**
 * Gemini's Interactions API for models; agents are left alone. There is no native mode.
 *
 * Source: https://ai.google.dev/gemini-api/docs/interactions-overview
 */
export const geminiInteractions: Format = {
  name: turns.format,
  vendor: gemini,
  heartbeat: { kind: 'comment', text: 'keepalive' },
  // Source: https://ai.google.dev/gemini-api/docs/caching (implicit caching).
  loading: { discountsCached: true, modes: ['bridge', 'swap'], nativeModels: [] },
  reading: {
    // On Vertex, project and location follow the version. Requests about one interaction by its id do not
    // match.
    routes: [[/\/v\d+[a-z0-9]*(?:\/projects\/[^/]+\/locations\/[^/]+)?\/interactions\/?$/, 'answer']],
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
      holdsThinking: holdsSignatures,
      // Signatures are bound to steps. Winnow changes none, unless a hidden turn is lost.
      hasLostRounds: holdsSignatures,
    },
    storedResponses: storedInteractions,
  },
};
