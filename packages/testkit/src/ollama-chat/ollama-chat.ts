import { isJsonObject } from '../upstream/json-object.ts';
import { NDJSON_FRAMING } from '../upstream/ndjson-framing.ts';
import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { OLLAMA_ID_PREFIXES } from './ollama-id-prefixes.ts';
import { readOllamaConversation } from './read-ollama-conversation.ts';
import { validateOllamaRequest } from './validate-ollama-request.ts';
import { writeOllamaStream, writeOllamaWhole } from './write-ollama-lines.ts';

/** Ollama's own API, `POST /api/chat`. */
export const OLLAMA_CHAT: UpstreamFormat = {
  pathEnds: ['/api/chat'],
  framing: NDJSON_FRAMING,
  idPrefixes: OLLAMA_ID_PREFIXES,
  signs: {
    ping: undefined,
    error: ({ message }) => ({ type: 'event', data: JSON.stringify({ error: message }) }),
  },
  validate: validateOllamaRequest,
  writeError: ({ message }) => ({ error: message }),
  writeHeaders: () => ({}),
  wantsStream: ({ json }) => !isJsonObject(json) || json.stream !== false,
  writeWhole: writeOllamaWhole,
  writeStream: writeOllamaStream,
  readConversation: readOllamaConversation,
};
