import type { JsonObject } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { callsIn, type NormalTurn, normalTurns, responsesIn } from './normal-turns.ts';

/**
 * Finds calls without results and results without calls. The turn after a turn with calls has one result for
 * each, in the same order, unless the history ends there.
 */
export function* findCallFaults(body: JsonObject): Generator<Rejection> {
  const turns = normalTurns(body.contents);
  for (const [index, turn] of turns.entries()) {
    const before = turns[index - 1];
    if (turn.role === 'model') {
      if (before === undefined && callsIn(turn.parts).length > 0) yield badRequest(CALLS_FIRST);
    } else yield* findResultFaults(turn, before);
  }
}

const CALLS_FIRST =
  'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';

function* findResultFaults({ parts }: NormalTurn, before: NormalTurn | undefined): Generator<Rejection> {
  const responses = responsesIn(parts);
  const calls = callsIn(before?.parts ?? []);
  if (responses.length > 0 && calls.length === 0) {
    yield badRequest(
      'Please ensure that function response turn comes immediately after a function call turn.',
    );
  } else if (responses.length !== calls.length) {
    yield badRequest(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  }
  for (const [index, { name, id }] of responses.entries()) {
    const call = calls[index];
    const isOther = call?.name !== name || (id !== undefined && call?.id !== undefined && call.id !== id);
    if (isOther) yield badRequest(`Function response '${name}' does not match the function call turn.`);
  }
}
