import { parseJson } from '@winnow/core';
import type { CompleteAnswer, IdentifiedCall } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { normalTurns } from './normal-turns.ts';
import { signCall } from './thought-signature.ts';

/** Writes a call with complete arguments. The first call of a response is signed. */
export type WriteCall = (call: IdentifiedCall, text: string) => JsonObject;

/** Creates a writer for the calls of one response, in order. */
export function createCallWriter({ deviations }: CompleteAnswer, body: JsonObject): WriteCall {
  let isFirst = true;
  return ({ id, name, fields }, text) => {
    const parsed = parseJson(text);
    // The model's arguments must be an object here, whatever text it produces.
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
