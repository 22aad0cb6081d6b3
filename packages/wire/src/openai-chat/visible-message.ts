import type { Turn } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { joinMessages } from './merge-delta.ts';
import { calledArguments, calledName, callsOf, contentText, objectsIn } from './read-message.ts';

/**
 * The message that a client saw of these turns: joined, without the calls that were answered for it. These are known by their ids and names, each
 * within its own message: several servers number the calls of each response anew, and some give a search the id of another call.
 */
export function visibleMessage(turns: readonly Pick<Turn, 'message' | 'searches'>[]): JsonObject {
  return turns.map(withoutSearches).reduce(joinMessages);
}

function withoutSearches({ message, searches }: Pick<Turn, 'message' | 'searches'>): JsonObject {
  const hidden = new Set(searches.map(({ id, name }) => JSON.stringify([id, name])));
  const { tool_calls, ...rest } = JSON.parse(message) as JsonObject;
  const calls = objectsIn(tool_calls).filter(
    (call) => !hidden.has(JSON.stringify([call.id, calledName(call)])),
  );
  return calls.length > 0 ? { ...rest, tool_calls: calls } : rest;
}

/**
 * What makes two messages the same one: their text and their calls.
 *
 * Clients keep these, but write them in their own way: a text as a list of parts, null as an empty text, arguments with
 * other white space. All else (reasoning, annotations) many of them drop.
 */
export function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [call.id, calledName(call), normalArguments(call)]);
  return JSON.stringify([contentText(message.content), calls]);
}

function normalArguments(call: JsonObject): unknown {
  const given = calledArguments(call);
  return sortKeys(typeof given === 'string' ? (parseJson(given) ?? given) : given);
}
