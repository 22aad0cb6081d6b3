import type { HiddenTurn } from '../format/view.ts';
import {
  type Edit,
  elementsOf,
  type JsonObject,
  memberSpan,
  setMember,
  splice,
  textOrNone,
} from '../json/json-splice.ts';
import type { KeptResult } from '../turns/kept-result.ts';
import { keyOf } from './field-of.ts';
import { callKey, callOf, callsOf, partsOf } from './read-contents.ts';

/**
 * Returns the last message of a hidden turn with the ids that the client has given to calls without one. The
 * client's results use the same ids. `shown` are the parts of the visible turn.
 */
export function withGivenIds({ message, results }: HiddenTurn, shown: readonly JsonObject[]): string {
  const given = callsOf(shown).map(({ call }) => textOrNone(call.id));
  if (given.every((id) => id === undefined)) return message;
  const hidden = new Set(results.map((result) => (JSON.parse(result) as KeptResult).callId));
  const list = memberSpan(message, 0, 'parts');
  const spans = list === undefined ? [] : elementsOf(message, list.start);
  const edits: Edit[] = [];
  let calls = 0;
  let real = 0;
  for (const [at, part] of partsOf(JSON.parse(message)).entries()) {
    const call = callOf(part);
    if (textOrNone(call?.name) === undefined || hidden.has(callKey(call!, calls++))) continue;
    const id = given[real++];
    const span =
      id === undefined ? undefined : memberSpan(message, spans[at]!.start, keyOf(part, 'functionCall'));
    if (span !== undefined && textOrNone(call!.id) === undefined) {
      edits.push(setMember(message, span, 'id', JSON.stringify(id)));
    }
  }
  return splice(message, edits);
}
