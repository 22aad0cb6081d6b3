import type { JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { fieldOf } from './field-of.ts';
import { callsIn, normalTurns, objectIn, responsesIn } from './normal-turns.ts';
import { findSignatureFault } from './thought-signature.ts';

/**
 * Finds missing or misplaced signatures of calls, for models that require them: in the current turn
 * (everything after the user's last message), the first call of each model turn has a signature.
 *
 * Source: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function* findSignatureFaults(
  body: JsonObject,
  model: string,
  rules: ProviderRules,
): Generator<Rejection> {
  if (!rules.asksForSignatures(model)) return;
  const turns = normalTurns(body.contents);
  const spoken = turns.findLastIndex(
    ({ role, parts }) => role === 'user' && responsesIn(parts).length < parts.length,
  );
  for (const [index, { role, parts }] of turns.entries()) {
    if (index <= spoken || role !== 'model') continue;
    const signed = parts.filter((part) => objectIn(part, 'functionCall') !== undefined);
    for (const [number, part] of signed.entries()) {
      const [call] = callsIn([part]);
      const signature = fieldOf(part, 'thoughtSignature');
      if (typeof signature !== 'string') {
        if (number === 0) yield missing(call!, index);
        continue;
      }
      const fault = findSignatureFault(call!, signature, turns.slice(0, index));
      if (fault === 'part' || (fault === 'history' && rules.bindsSignatures(model))) {
        yield badRequest(`Thought signature is not valid: ${fault}.`);
      }
    }
  }
}

function missing({ name }: JsonObject, position: number): Rejection {
  return badRequest(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position + 1}.`,
  );
}
