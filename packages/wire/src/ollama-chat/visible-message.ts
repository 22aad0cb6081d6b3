import type { Turn } from '../format/view.ts';
import { seamBetween } from '../joining/seam.ts';
import { type JsonObject, textOrNone } from '../json/json-splice.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { callId } from './call-id.ts';
import { calledArguments, calledName, callsOf, contentText } from './read-message.ts';

/**
 * Returns the message that a client saw of these turns: their texts set apart, their thinking
 * concatenated, and their calls without searches.
 */
export function visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject {
  return turns.map(withoutSearches).reduce(joinMessages);
}

/** Removes searches by id and name: a server may give a search the id of another call. */
function withoutSearches({ message, searches }: Pick<Turn, 'message' | 'searches'>): JsonObject {
  const hidden = new Set(searches.map(({ id, name }) => JSON.stringify([id, name])));
  const { tool_calls, ...rest } = JSON.parse(message) as JsonObject;
  const isHidden = (call: JsonObject, ordinal: number) =>
    hidden.has(JSON.stringify([callId(call, ordinal), calledName(call)]));
  const calls = callsOf({ tool_calls }).filter((call, ordinal) => !isHidden(call, ordinal));
  return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
}

/** Joins two messages of one turn. */
export function joinMessages(earlier: JsonObject, later: JsonObject): JsonObject {
  const calls = [...callsOf(earlier), ...callsOf(later)];
  const [text, added] = [contentText(earlier), contentText(later)];
  const thinking = (textOrNone(earlier.thinking) ?? '') + (textOrNone(later.thinking) ?? '');
  return {
    ...earlier,
    ...later,
    content: text + seamBetween(text, added) + added,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/**
 * Returns the normal form of a message: its text, and its calls without ids, which servers and clients may
 * drop. Many clients drop everything else, such as thinking.
 */
export function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [calledName(call), sortKeys(calledArguments(call))]);
  return JSON.stringify([contentText(message), calls]);
}
