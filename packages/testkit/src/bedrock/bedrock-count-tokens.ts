import { countPromptTokens } from '../anthropic-messages/count-prompt-tokens.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { badRequest } from '../upstream/rejection.ts';
import type { UpstreamCounter } from '../upstream/upstream-format.ts';
import { BEDROCK_CONVERSE } from './bedrock-converse.ts';
import { BEDROCK_INVOKE } from './bedrock-invoke.ts';
import { toMessagesBody } from './to-messages-body.ts';

/** Counts the tokens of a request that it contains: one of Converse, or one of InvokeModel in base64. */
export const BEDROCK_COUNT_TOKENS: UpstreamCounter = {
  ...BEDROCK_INVOKE,
  pathEnds: ['/count-tokens'],
  validate: (request, rules) => {
    const { converse, invoked } = readInput(request.json);
    if (converse !== undefined) return BEDROCK_CONVERSE.validate({ ...request, json: converse }, rules);
    if (invoked !== undefined) return BEDROCK_INVOKE.validate({ ...request, json: invoked }, rules);
    return badRequest('The input has neither converse nor invokeModel.');
  },
  writeCount: (body) => {
    const { converse, invoked } = readInput(body);
    return { inputTokens: countPromptTokens(invoked ?? toMessagesBody(converse!)) };
  },
};

function readInput(json: unknown): { readonly converse?: JsonObject; readonly invoked?: JsonObject } {
  const input = isJsonObject(json) && isJsonObject(json.input) ? json.input : {};
  const { converse, invokeModel } = input;
  if (isJsonObject(converse)) return { converse };
  if (!isJsonObject(invokeModel) || typeof invokeModel.body !== 'string') return {};
  const invoked: unknown = JSON.parse(Buffer.from(invokeModel.body, 'base64').toString());
  return isJsonObject(invoked) ? { invoked } : {};
}
