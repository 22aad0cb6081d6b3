import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { CHOICE } from '../format/load-rules.ts';
import { countsIn } from '../format/response-joiner.ts';
import type { RequestView } from '../format/view.ts';
import { openai } from '../vendors/openai.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest, preloadForms, storedResponses } from './edit-request.ts';
import { countTokens, joinResponses } from './join-responses.ts';
import { polyfill } from './polyfill/polyfill.ts';
import { isReasoning, readRequest } from './read-request.ts';
import { isOrphan, runsIn, turns } from './turns.ts';

/**
 * Names of the models that accept tools in a `tool_search_output`: gpt-5.4, of March 2026, and later
 * generations. A deployment may have any name; a name without a generation does not count, nor do open-weight
 * models, nor Azure's spelling of 3.5 without its point.
 *
 * Source: https://platform.openai.com/docs/guides/tools-tool-search. The name of a model does not identify
 * the server that runs it.
 */
const SEARCHING_MODELS: readonly RegExp[] = [
  /^(?:[\w.-]+\/)?gpt-5\.(?:[4-9]|[1-9]\d+)(?![\w.])/,
  /^(?:[\w.-]+\/)?gpt-(?!35\b)(?:[6-9]|[1-9]\d+)(?:\.\d+)?(?![\w.])/,
];

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
  loading: {
    // Source: https://github.com/maximhq/bifrost/issues/5410. The status may vary.
    edits: [{ name: '.id', statuses: [400, 404], words: /Item with id '[^']*' not found/ }, CHOICE],
    modes: ['native', 'bridge', 'swap'],
    nativeModels: SEARCHING_MODELS,
  },
  reading: {
    // Compaction and requests about one response by its id are different requests.
    routes: [
      [/\/responses\/?$/, 'answer'],
      [/\/responses\/input_tokens\/?$/, 'count_tokens'],
    ],
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
      holdsThinking: holdsReasoning,
      hasLostRounds,
    },
    storedResponses,
    polyfill,
  },
};

/**
 * Whether the history contains reasoning, which the provider may refuse when a hidden turn around it is lost.
 */
function holdsReasoning(view: RequestView): boolean {
  return runsIn(view).some(({ items }) => items.some(isReasoning));
}

/** Whether a history seems to have lost hidden turns: reasoning that leads to nothing remains of a search. */
function hasLostRounds(view: RequestView): boolean {
  return runsIn(view).some(({ items }) => items.some((_, at) => isOrphan(items, at)));
}
