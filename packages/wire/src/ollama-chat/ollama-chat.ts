import { joinBridged } from '../bridge/join-bridged.ts';
import type { Format } from '../format/format.ts';
import { ollama } from '../vendors/ollama.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { editRequest, preloadForms } from './edit-request.ts';
import { joinResponses, usageOf } from './join-responses.ts';
import { readRequest } from './read-request.ts';
import { turns } from './turns.ts';

/**
 * Ollama's own chat API. There is no native mode.
 *
 * Sources: https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion, and `ChatHandler` of its server.
 */
export const ollamaChat: Format = {
  name: turns.format,
  vendor: ollama,
  // Clients read every line as part of the response, and a blank line as an error.
  heartbeat: undefined,
  // Names of its models, such as `gpt-oss`, are not names of priced ones.
  loading: { modes: ['bridge', 'swap'], nativeModels: [] },
  reading: { routes: [[/\/api\/chat$/, 'answer']], readRequest },
  editing: { editRequest, preloadForms },
  joining: {
    joinResponses: joinBridged(joinResponses, bridgeDialect),
    passing: { members: ['prompt_eval_count', 'eval_count'], toUsage: usageOf },
  },
  remembering: turns,
  capabilities: {
    bridge: bridgeDialect,
  },
};
