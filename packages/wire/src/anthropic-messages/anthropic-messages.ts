import { bindsThinking } from '../binds-thinking.ts';
import type { Format } from '../format/format.ts';
import { anthropic } from '../vendors/anthropic.ts';
import { addTools } from './add-tools.ts';
import { hasLostRounds, holdsThinking, isThinkingOn } from './drop-thinking.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME, hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { hostedSearches } from './polyfill/hosted-searches.ts';
import { polyfill } from './polyfill/polyfill.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';
import { supportsToolReferences } from './supports-tool-references.ts';

/**
 * The Messages API of Anthropic, its token counter included, and the servers that speak it.
 *
 * Source: https://docs.claude.com/en/api/messages and https://docs.claude.com/en/docs/build-with-claude/streaming.
 * Deferred tools: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool.
 */
export const anthropicMessages: Format = {
  name: FORMAT_NAME,
  vendor: anthropic,
  heartbeat: { kind: 'event', name: 'ping', data: '{"type": "ping"}' },
  matchRoute,
  readRequest,
  editRequest,
  addTools,
  holdsThinking,
  hasLostRounds,
  // The vendor's own clients send it with every deferred tool.
  addedHeaders: ({ loadMode, defer }) =>
    loadMode === 'native' && defer.length > 0
      ? [{ name: 'anthropic-beta', value: 'advanced-tool-use-2025-11-20' }]
      : [],
  loadModes: (model) =>
    model !== undefined && supportsToolReferences(model) ? ['native', 'swap'] : ['swap'],
  writableModes: ['native', 'swap'],
  bindsThinking: (model) => model !== undefined && bindsThinking(model),
  isThinking: isThinkingOn,
  joinResponses,
  historyKeys,
  openingKey,
  shownKeys,
  recall,
  hideTurn,
  polyfill,
  hostedSearches,
};
