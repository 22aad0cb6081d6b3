import type { Format } from '../format.ts';
import { holdsThinking } from './drop-thinking.ts';
import { editRequest } from './edit-request.ts';
import { errorBody } from './error-body.ts';
import { FORMAT_NAME, hideTurn } from './hide-turn.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';
import { supportsToolReferences } from './supports-tool-references.ts';

/**
 * The Messages API of Anthropic, its token counter included, and the servers that speak it.
 *
 * Source: https://docs.claude.com/en/api/messages and https://docs.claude.com/en/docs/build-with-claude/streaming.
 * Deferred tools: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool.
 */
export const anthropicMessages: Format = {
  name: FORMAT_NAME,
  streamContentType: 'text/event-stream; charset=utf-8',
  heartbeat: 'event: ping\ndata: {"type": "ping"}\n\n',
  matchRoute,
  readRequest,
  editRequest,
  holdsThinking,
  // The vendor's own clients send it with every deferred tool.
  addedHeaders: ({ loadMode, defer }) =>
    loadMode === 'native' && defer.length > 0
      ? [{ name: 'anthropic-beta', value: 'advanced-tool-use-2025-11-20' }]
      : [],
  loadModes: (model) =>
    model !== undefined && supportsToolReferences(model) ? ['native', 'swap'] : ['swap'],
  joinAnswers: joinResponses,
  hideTurn,
  errorBody,
};
