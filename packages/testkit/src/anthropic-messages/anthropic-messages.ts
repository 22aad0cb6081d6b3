import { isJsonObject } from '../upstream/json-object.ts';
import { SSE_FRAMING } from '../upstream/sse-framing.ts';
import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { MESSAGES_ID_PREFIXES } from './messages-id-prefixes.ts';
import { MESSAGES_PING } from './messages-ping.ts';
import { readMessagesConversation } from './read-messages-conversation.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';
import { messagesStreamError, writeMessagesError } from './write-messages-error.ts';
import { writeMessagesStream } from './write-messages-stream.ts';
import { writeMessagesWhole } from './write-messages-whole.ts';

/** Anthropic Messages, `POST /v1/messages`. */
export const ANTHROPIC_MESSAGES: UpstreamFormat = {
  pathEnds: ['/v1/messages'],
  framing: SSE_FRAMING,
  idPrefixes: MESSAGES_ID_PREFIXES,
  signs: { ping: MESSAGES_PING, error: messagesStreamError },
  validate: (request, rules) => validateMessagesRequest(request, rules, 'message'),
  writeError: writeMessagesError,
  writeHeaders: (requestId) => ({
    'request-id': requestId,
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    'anthropic-ratelimit-requests-remaining': '999',
  }),
  wantsStream: ({ json }) => isJsonObject(json) && json.stream === true,
  writeWhole: writeMessagesWhole,
  writeStream: writeMessagesStream,
  readConversation: readMessagesConversation,
};
