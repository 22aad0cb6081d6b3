import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';
import { findDialectFaults } from './chat-dialects.ts';
import { emptyArray } from './empty-array.ts';
import { findCallFaults } from './find-call-faults.ts';
import { findChoiceFaults } from './find-choice-faults.ts';
import { findDeferralFaults } from './find-deferral-faults.ts';
import { findMessageFaults } from './find-message-faults.ts';
import { findToolFaults } from './find-tool-faults.ts';

/**
 * Returns the error with which OpenAI refuses a Chat request, in the provider's words as far as known;
 * undefined for a valid request.
 *
 * Names in the history need not be in `tools`, and `tools` may be absent. Unknown members of the body are
 * accepted.
 */
export function validateChatRequest(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  for (const rejection of findFaults(request, rules)) return rejection;
  return undefined;
}

function* findFaults({ headers, json }: ProviderRequest, rules: ProviderRules): Generator<Rejection> {
  // Azure's clients send `api-key`.
  if (!headers.authorization && !headers['api-key']) {
    yield { status: 401, message: "You didn't provide an API key.", code: 'invalid_api_key' };
  }
  if (!isJsonObject(json)) {
    yield badRequest('We could not parse the JSON body of your request.');
    return;
  }
  yield* findFrameFaults(json);
  if (rules.refusesStreamOptions && json.stream_options !== undefined) {
    yield { status: 422, message: 'body.stream_options: Extra inputs are not permitted' };
  }
  if (rules.chatDialect !== undefined) yield* findDialectFaults(json, rules.chatDialect);
  const contentTypes = [...rules.contentTypes, ...(rules.chatDialect === 'Mistral' ? ['thinking'] : [])];
  yield* findMessageFaults(json, { ...rules, contentTypes });
  yield* findCallFaults(json);
  yield* findToolFaults(json, rules);
  yield* findDeferralFaults(json, rules);
  yield* findChoiceFaults(json);
}

function* findFrameFaults(body: JsonObject): Generator<Rejection> {
  if (typeof body.model !== 'string' || body.model === '')
    yield badRequest('you must provide a model parameter');
  if (body.stream !== true && body.stream_options !== undefined && body.stream_options !== null) {
    yield badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  if (!Array.isArray(body.messages)) {
    yield badRequest("Missing required parameter: 'messages'.", {
      param: 'messages',
      code: 'missing_required_parameter',
    });
  } else if (body.messages.length === 0) {
    yield emptyArray('messages');
  }
}
