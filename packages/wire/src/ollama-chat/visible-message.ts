import type { Turn } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { callId } from './call-id.ts';
import { calledArguments, calledName, callsOf, contentText, textOrNone } from './read-message.ts';

/** The message that a client saw of these turns: their texts and thinking one after the other, and their calls without searches. */
export function visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject {
  return turns.map(withoutSearches).reduce(joinMessages);
}

/** Searches are known by their ids and names: a server may give one the id of another call. */
function withoutSearches({ message, searches }: Pick<Turn, 'message' | 'searches'>): JsonObject {
  const hidden = new Set(searches.map(({ id, name }) => JSON.stringify([id, name])));
  const { tool_calls, ...rest } = JSON.parse(message) as JsonObject;
  const isHidden = (call: JsonObject, ordinal: number) =>
    hidden.has(JSON.stringify([callId(call, ordinal), calledName(call)]));
  const calls = callsOf({ tool_calls }).filter((call, ordinal) => !isHidden(call, ordinal));
  return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
}

/** Two messages of one turn as one. */
export function joinMessages(earlier: JsonObject, later: JsonObject): JsonObject {
  const calls = [...callsOf(earlier), ...callsOf(later)];
  const thinking = (textOrNone(earlier.thinking) ?? '') + (textOrNone(later.thinking) ?? '');
  return {
    ...earlier,
    ...later,
    content: contentText(earlier) + contentText(later),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/**
 * What makes two messages the same one: their text, and their calls without ids, which servers and clients may drop. All else, such as thinking,
 * many clients drop.
 */
export function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [calledName(call), sortKeys(calledArguments(call))]);
  return JSON.stringify([contentText(message), calls]);
}
