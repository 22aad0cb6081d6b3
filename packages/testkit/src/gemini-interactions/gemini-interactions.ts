import { GEMINI } from '../gemini/gemini.ts';
import { isJsonObject, objectsOf } from '../upstream/json-object.ts';
import { tenantOf } from '../upstream/response-memory.ts';
import { SSE_FRAMING } from '../upstream/sse-framing.ts';
import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { answerStoredInteraction } from './answer-stored-interaction.ts';
import { INTERACTIONS_ID_PREFIXES } from './interactions-id-prefixes.ts';
import { readInteractionsConversation } from './read-interactions-conversation.ts';
import { stepsOf } from './read-steps.ts';
import { validateInteraction } from './validate-interaction.ts';
import { writeInteractionStream, writeInteractionWhole } from './write-interaction.ts';
import { interactionsStreamError, writeInteractionsError } from './write-interactions-error.ts';

/** Gemini's Interactions, `POST /v1beta/interactions`, and its stored interactions. */
export const GEMINI_INTERACTIONS: UpstreamFormat = {
  pathEnds: ['/interactions'],
  framing: SSE_FRAMING,
  idPrefixes: INTERACTIONS_ID_PREFIXES,
  signs: { ping: undefined, error: interactionsStreamError },
  validate: validateInteraction,
  writeError: writeInteractionsError,
  writeHeaders: GEMINI.writeHeaders,
  wantsStream: ({ json }) => isJsonObject(json) && json.stream === true,
  writeWhole: writeInteractionWhole,
  writeStream: writeInteractionStream,
  readConversation: readInteractionsConversation,
  expand: (json, headers, memory) => {
    const tenant = tenantOf(headers);
    const { previous_interaction_id: id, ...rest } = json;
    const previous = typeof id === 'string' ? memory.get(id, tenant) : undefined;
    const own = stepsOf(json.input);
    const input = own === undefined ? {} : { input: [...(previous?.items ?? []), ...own] };
    return { ...(previous === undefined ? json : rest), ...input, [TENANT]: tenant };
  },
  remember: (answer, body, memory) => {
    if (body.store === false) return;
    const written = writeInteractionWhole(answer, body);
    const input = objectsOf(body.input);
    const items = [...input, ...objectsOf(written.steps)];
    const tools = body.tools === undefined ? {} : { tools: body.tools };
    memory.add({
      tenant: String(body[TENANT]),
      body: { ...written, ...tools },
      items,
      inputCount: input.length,
    });
  },
  answerOther: answerStoredInteraction,
};

/** The member of an expanded request that names the client; a real client cannot send it. */
const TENANT = ' tenant';
