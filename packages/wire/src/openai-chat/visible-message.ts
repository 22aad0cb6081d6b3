import type { Turn } from '../format/view.ts';
import { type JsonObject, objectsIn } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { joinMessages } from './merge-delta.ts';
import { calledArguments, calledName, callsOf, contentText } from './read-message.ts';

/**
 * Returns the message that a client saw of these turns: joined, without the calls that the proxy answered.
 * Those are identified by id and name within their own message: several servers restart the ids for each
 * response, and some give a search the id of another call.
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
 * Returns the normal form of a message: its text and its calls.
 *
 * Clients keep these, but write them in their own way: a text as a list of parts, null as an empty text,
 * arguments with other white space. Many clients drop everything else, such as reasoning and annotations.
 */
export function normalForm(message: JsonObject): string {
  const calls = callsOf(message).map((call) => [call.id, calledName(call), normalArguments(call)]);
  return JSON.stringify([contentText(message.content), calls]);
}

function normalArguments(call: JsonObject): unknown {
  const given = calledArguments(call);
  return sortKeys(typeof given === 'string' ? (parseJson(given) ?? given) : given);
}
