import { isJsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';
import { findDeferralFaults } from './find-deferral-faults.ts';
import { findItemFaults } from './find-item-faults.ts';
import { findReasoningFaults } from './find-reasoning-faults.ts';
import { findResponsesToolFaults } from './find-responses-tool-faults.ts';

/**
 * Returns the error with which OpenAI refuses a Responses request, in the provider's words as far as known;
 * undefined for a valid request. The request is the one that the model reads: its input includes the history
 * that it continues.
 *
 * Names in the history need not be in `tools`. Unknown members of the body are accepted.
 */
export function validateResponsesRequest(
  request: ProviderRequest,
  rules: ProviderRules,
): Rejection | undefined {
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
  if (typeof json.model !== 'string' || json.model === '') {
    yield badRequest("Missing required parameter: 'model'.", {
      param: 'model',
      code: 'missing_required_parameter',
    });
  }
  if (typeof json.previous_response_id === 'string') {
    const message = `Previous response with id '${json.previous_response_id}' not found.`;
    yield badRequest(message, { param: 'previous_response_id', code: 'previous_response_not_found' });
  }
  if (!Array.isArray(json.input)) {
    yield badRequest("Missing required parameter: 'input'.", {
      param: 'input',
      code: 'missing_required_parameter',
    });
    return;
  }
  if (rules.isPlain) yield* findDeferralFaults(json);
  yield* findItemFaults(json);
  yield* findResponsesToolFaults(json, rules);
  yield* findReasoningFaults(json, rules);
}
