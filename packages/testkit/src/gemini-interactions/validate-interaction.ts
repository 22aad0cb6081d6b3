import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';
import { findInteractionsToolFaults } from './find-interactions-tool-faults.ts';
import { findStepFaults } from './find-step-faults.ts';
import { stepsOf } from './read-steps.ts';

const MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'agent',
  'agent_config',
  'input',
  'tools',
  'generation_config',
  'previous_interaction_id',
  'store',
  'stream',
  'background',
  'system_instruction',
  'response_format',
  'response_mime_type',
  'response_modalities',
  'safety_settings',
  'service_tier',
  'labels',
  'environment',
  'cached_content',
  'continuation_token',
  'webhook_config',
]);

/**
 * Returns the error with which the provider refuses a request for an interaction; undefined for a valid
 * request. The request is the one that the model reads: its input includes the history that it continues.
 */
export function validateInteraction(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  for (const rejection of findFaults(request, rules)) return rejection;
  return undefined;
}

function* findFaults({ headers, json }: ProviderRequest, rules: ProviderRules): Generator<Rejection> {
  if (!headers['x-goog-api-key'] && !headers.authorization) {
    yield { status: 403, message: "Method doesn't allow unregistered callers." };
  }
  if (!isJsonObject(json)) {
    yield badRequest('Invalid JSON payload received.');
    return;
  }
  yield* findBodyFaults(json, rules);
}

function* findBodyFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  // Members that the testkit adds to an expanded request begin with a space.
  const stranger = Object.keys(body).find((key) => !key.startsWith(' ') && !MEMBERS.has(key));
  if (stranger !== undefined) yield badRequest(`Unknown parameter '${stranger}'.`);
  if (typeof body.model !== 'string' && typeof body.agent !== 'string') {
    yield badRequest("Either 'model' or 'agent' must be set.");
  }
  if (typeof body.previous_interaction_id === 'string') {
    const message = `Interaction '${body.previous_interaction_id}' not found.`;
    yield { status: 404, message };
  }
  const steps = stepsOf(body.input) ?? (body.continuation_token === undefined ? undefined : []);
  if (steps === undefined) {
    yield badRequest("Invalid value at 'input'.");
    return;
  }
  yield* findStepFaults(steps, String(body.model), rules);
  yield* findInteractionsToolFaults(body);
}
