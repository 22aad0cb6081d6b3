import type { Format } from '../format/format.ts';
import { BINDING_MODELS } from '../turns/binding-models.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { hasLostRounds, holdsReasoning, isReasoningOn } from './drop-reasoning.ts';
import { editRequest } from './edit-request.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { historyKeys, openingKey } from './history-keys.ts';
import { joinResponses } from './join-responses.ts';
import { readRequest } from './read-request.ts';
import { recall } from './restore-turns.ts';

/**
 * Bedrock's Converse, for every model that it serves. Found tools are loaded by swapping: a declared tool is shown. A stream is one of AWS's event
 * streams, and has nothing that keeps its line alive.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and API_runtime_ConverseStream.html.
 */
export const bedrockConverse: Format = {
  name: FORMAT_NAME,
  vendor: bedrock,
  heartbeat: undefined,
  loading: { modes: ['swap'], nativeModels: [] },
  reading: { routes: [[/\/model\/[^/]+\/(?:converse|converse-stream)$/, 'answer']], readRequest },
  editing: { editRequest },
  joining: { joinResponses },
  remembering: { historyKeys, openingKey, shownKeys, recall, hideTurn },
  capabilities: {
    thinking: {
      bindingModels: BINDING_MODELS,
      isThinking: isReasoningOn,
      holdsThinking: holdsReasoning,
      hasLostRounds,
    },
    addedTools: {
      member: 'toolConfig',
      writeTool: ({ name, description, parameters }) =>
        JSON.stringify({ toolSpec: { name, description, inputSchema: { json: parameters } } }),
      writeSection: (entries) => `{"tools":[${entries}]}`,
    },
  },
};
