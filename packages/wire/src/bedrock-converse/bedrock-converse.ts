import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { countsIn } from '../format/response-joiner.ts';
import { blockThinking } from '../turns/block-turns.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { bridgeDialect, editRequest, preloadForms } from './edit-request.ts';
import { countTokens, joinResponses } from './join-responses.ts';
import { readRequest } from './read-request.ts';
import { dialect, turns } from './turns.ts';

/**
 * Bedrock's Converse API, for every model that it serves. There is no native mode, because a
 * declared tool is always shown. A stream is an AWS event stream and has no heartbeat.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
 * API_runtime_ConverseStream.html and API_runtime_CountTokens.html.
 */
export const bedrockConverse: Format = {
  name: turns.format,
  vendor: bedrock,
  heartbeat: undefined,
  loading: {
    modes: ['bridge', 'swap'],
    nativeModels: [],
    edits: [{ name: 'marks', statuses: [400], words: /cachePoint|cache point/i }],
  },
  reading: {
    routes: [
      [/\/model\/[^/]+\/(?:converse|converse-stream)$/, 'answer'],
      [/\/model\/[^/]+\/count-tokens$/, 'count_tokens'],
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
    thinking: blockThinking(dialect),
    cacheMark: '"cachePoint":',
  },
};
