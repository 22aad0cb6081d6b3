import { parseJson } from '@winnow/text';
import type { CompleteAnswer, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { normalTurns } from './normal-turns.ts';
import { signCall } from './thought-signature.ts';

/** Writes a call whose arguments have come; the first of an answer is signed. */
export type WriteCall = (call: IdentifiedCall, text: string) => JsonObject;

/** A writer of the calls of one answer, in order. */
export function createCallWriter({ deviations }: CompleteAnswer, body: JsonObject): WriteCall {
  let isFirst = true;
  return ({ id, name, fields }, text) => {
    const parsed = parseJson(text);
    // A model's arguments are an object here, whatever it says.
    const functionCall = {
      ...(deviations.hasCallIds && { id }),
      name,
      args: isJsonObject(parsed) ? parsed : {},
    };
    const signature = isFirst && { thoughtSignature: signCall(functionCall, normalTurns(body.contents)) };
    isFirst = false;
    return { functionCall, ...signature, ...fields };
  };
}
