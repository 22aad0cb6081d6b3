import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { isContent, isSpoken, type Run, resultsIn, runsOf } from './read-steps.ts';
import { findSealFault } from './thought-seal.ts';

/**
 * The members of steps that a client may send. The service refuses unknown members, such as `call_id` on a
 * call.
 */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  user_input: ['content'],
  model_output: ['content', 'error'],
  thought: ['signature', 'summary'],
  function_call: ['id', 'name', 'arguments', 'signature'],
  function_result: ['call_id', 'name', 'result', 'is_error', 'signature'],
};
const HOSTED =
  /^(?:google_search|code_execution|url_context|file_search|google_maps|mcp_server_tool)_(?:call|result)$/;

/**
 * Finds faults of single steps and of their order. `steps` starts with the steps that the request continues.
 */
export function* findStepFaults(
  steps: readonly JsonObject[],
  model: string,
  rules: ProviderRules,
): Generator<Rejection> {
  for (const [at, step] of steps.entries()) yield* findOwnFaults(step, `input[${at}]`);
  const runs = runsOf(steps);
  const spoken = steps.findLastIndex(isSpoken);
  for (const [at, run] of runs.entries()) {
    if (!run.isOfModel) yield* findResultFaults(run, runs[at - 1]);
    else if (at === runs.length - 1 && callsIn(run).length > 0) yield badRequest(UNANSWERED);
    const isCurrent = run.before.length > spoken;
    if (run.isOfModel && isCurrent && rules.asksForSignatures(model))
      yield* findSignatureFaults(run, model, rules);
  }
}

function* findOwnFaults(step: JsonObject, place: string): Generator<Rejection> {
  const type = String(step.type);
  if (isContent(step)) {
    yield badRequest(`${place}: contents and steps cannot stand in one list.`);
    return;
  }
  const members = MEMBERS[type];
  if (members === undefined) {
    if (!HOSTED.test(type)) yield badRequest(`${place}.type: unknown step '${type}'.`);
    return;
  }
  const stranger = Object.keys(step).find((key) => key !== 'type' && !members.includes(key));
  if (stranger !== undefined) yield badRequest(`Unknown parameter '${stranger}' at '${place}'.`);
  if (type === 'function_call' && !isJsonObject(step.arguments)) {
    yield badRequest(`${place}.arguments: must be an object.`);
  }
  if (type === 'function_call' && (typeof step.id !== 'string' || step.id === '')) {
    yield badRequest(`${place}.id: missing.`);
  }
}

function* findResultFaults(run: Run, before: Run | undefined): Generator<Rejection> {
  const results = run.steps.flatMap(resultsIn);
  const calls = before === undefined ? [] : callsIn(before);
  if (results.length !== calls.length) {
    yield badRequest(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  }
  const open = new Map(calls.map((call) => [call.id, call]));
  for (const { call_id: id, name } of results) {
    const call = open.get(id);
    if (call === undefined || (name !== undefined && name !== call.name)) {
      yield badRequest(`Function result '${id}' does not match a function call.`);
    }
    open.delete(id);
  }
  const firstResult = run.steps.findIndex((step) => resultsIn(step).length > 0);
  if (firstResult > run.steps.findIndex(isSpoken) && run.steps.some(isSpoken)) {
    yield badRequest('Please ensure that function results come immediately after their calls.');
  }
}

function* findSignatureFaults(run: Run, model: string, rules: ProviderRules): Generator<Rejection> {
  const [call] = callsIn(run);
  if (call === undefined) return;
  const thought = run.steps.slice(0, run.steps.indexOf(call)).findLast(({ type }) => type === 'thought');
  const signature = thought?.signature;
  if (typeof signature !== 'string' || signature === '') {
    yield badRequest(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.name}\`.`,
    );
    return;
  }
  const fault = findSealFault(signature, call, run.before);
  if (fault === 'call' || (fault === 'history' && rules.bindsSignatures(model))) {
    yield badRequest(`Thought signature is not valid: ${fault}.`);
  }
}

function callsIn({ steps }: Run): JsonObject[] {
  return steps.filter(({ type }) => type === 'function_call');
}

const UNANSWERED =
  'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
