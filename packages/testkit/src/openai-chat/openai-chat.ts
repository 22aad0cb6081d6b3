import { isJsonObject } from '../upstream/json-object.ts';
import { SSE_FRAMING } from '../upstream/sse-framing.ts';
import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { CHAT_ID_PREFIXES } from './chat-id-prefixes.ts';
import { readChatConversation } from './read-chat-conversation.ts';
import { validateChatRequest } from './validate-chat-request.ts';
import { chatStreamError, writeChatError } from './write-chat-error.ts';
import { writeChatStream } from './write-chat-stream.ts';
import { writeChatWhole } from './write-chat-whole.ts';

/** OpenAI Chat Completions, `POST /v1/chat/completions`. */
export const OPENAI_CHAT: UpstreamFormat = {
  pathEnds: ['/chat/completions'],
  framing: SSE_FRAMING,
  idPrefixes: CHAT_ID_PREFIXES,
  signs: { ping: undefined, error: chatStreamError },
  validate: validateChatRequest,
  writeError: writeChatError,
  writeHeaders: (requestId) => ({
    'x-request-id': requestId,
    'openai-processing-ms': '42',
    'openai-version': '2020-10-01',
    'x-ratelimit-remaining-requests': '9999',
  }),
  wantsStream: ({ json }) => isJsonObject(json) && json.stream === true,
  writeWhole: writeChatWhole,
  writeStream: writeChatStream,
  readConversation: readChatConversation,
};
