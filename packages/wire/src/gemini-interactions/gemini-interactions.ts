import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { CHOICE } from '../format/load-rules.ts';
import { countsIn } from '../format/response-joiner.ts';
import { memberOf, parseObject } from '../json/json-members.ts';
import { storedById } from '../stored/stored-by-id.ts';
import { gemini } from '../vendors/gemini.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest, type PendingResult, preloadForms } from './edit-request.ts';
import { countTokens, hiddenCallOf, isHiddenResult, joinResponses } from './join-responses.ts';
import { isFunctionCall, readRequest } from './read-request.ts';
import { holdsSignatures, turns } from './turns.ts';

/** Interactions that Google stores, unless `store` is false. */
const storedInteractions = storedById({
  previous: 'previous_interaction_id',
  byId: /^(?<before>.*\/interactions\/)(?<id>[^/]+)(?<behind>\/cancel)?\/?$/,
  lists: ['input', 'steps'],
  keepResult: (result, { searches }) =>
    ({ ...result, name: searches.find(({ id }) => id === result.callId)?.name }) satisfies PendingResult,
  calls: {
    read: (step, text) =>
      isFunctionCall(step) ? { id: step.id, arguments: memberOf(text, 'arguments') ?? '' } : undefined,
    write: (given) => (parseObject(given) === undefined ? '{}' : given),
  },
  isHiddenTool: ({ name }, hidden) => hidden.has(name),
  hiddenCallOf,
  isHiddenResult,
});

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
  loading: { modes: ['bridge', 'swap'], nativeModels: [], edits: [CHOICE] },
  reading: {
    // On Vertex, project and location follow the version. Requests about one interaction by its id do not
    // match.
    routes: [[/\/v\d+[a-z0-9]*(?:\/projects\/[^/]+\/locations\/[^/]+)?\/interactions\/?$/, 'answer']],
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
