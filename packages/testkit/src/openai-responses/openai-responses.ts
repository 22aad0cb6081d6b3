import { OPENAI_CHAT } from '../openai-chat/openai-chat.ts';
import { chatStreamError, writeChatError } from '../openai-chat/write-chat-error.ts';
import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { tenantOf } from '../upstream/response-memory.ts';
import { SSE_FRAMING } from '../upstream/sse-framing.ts';
import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { answerStoredRequest } from './answer-stored-request.ts';
import { withheldReasoning } from './find-reasoning-faults.ts';
import { readResponsesConversation } from './read-responses-conversation.ts';
import { RESPONSES_ID_PREFIXES } from './responses-id-prefixes.ts';
import { validateResponsesRequest } from './validate-responses-request.ts';
import { SENT, TENANT, writeResponsesStream, writeResponsesWhole } from './write-responses.ts';

/** OpenAI Responses, `POST /v1/responses`, and its stored responses. */
export const OPENAI_RESPONSES: UpstreamFormat = {
  pathEnds: ['/responses'],
  framing: SSE_FRAMING,
  idPrefixes: RESPONSES_ID_PREFIXES,
  signs: {
    ping: undefined,
    error: (error) => {
      const { data } = chatStreamError(error);
      return { type: 'event', event: 'error', data: JSON.stringify({ type: 'error', ...JSON.parse(data) }) };
    },
  },
  validate: validateResponsesRequest,
  writeError: writeChatError,
  writeHeaders: OPENAI_CHAT.writeHeaders,
  wantsStream: ({ json }) => isJsonObject(json) && json.stream === true,
  writeWhole: (answer, body) => writeResponsesWhole(withNotices(answer, body), body),
  writeStream: (answer, body) => writeResponsesStream(withNotices(answer, body), body),
  readConversation: readResponsesConversation,
  expand: (json, headers, memory) => {
    const tenant = tenantOf(headers);
    return { ...memory.expand(json, tenant), [TENANT]: tenant, [SENT]: json };
  },
  remember: (answer, body, memory) => {
    if (body.store === false) return;
    const written = writeResponsesWhole(withNotices(answer, body), body);
    const input = objectsOf(body.input);
    const items = [...input, ...objectsOf(written.output)];
    memory.add({ tenant: String(body[TENANT]), body: written, items, inputCount: input.length });
  },
  answerOther: answerStoredRequest,
};

/** Adds withheld reasoning to the response. */
function withNotices(answer: CompleteAnswer, body: JsonObject): CompleteAnswer {
  if (!body[WITHHOLDS]) return answer;
  const withheld = withheldReasoning(body);
  return withheld.length === 0
    ? answer
    : { ...answer, fields: { ...answer.fields, input_transformations: withheld } };
}

/** The member of an expanded request that says that the provider withholds reasoning. */
export const WITHHOLDS = ' withholds';
