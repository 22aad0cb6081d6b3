import type { Turn } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { sortKeys } from '../json/sort-keys.ts';
import { joinMessages } from './merge-delta.ts';
import { calledArguments, calledName, callsOf, contentText } from './read-message.ts';

/** A message of the model, and the ids of those of its calls that were answered for the client. */
export interface AnsweredMessage {
  readonly message: JsonObject;
  readonly hiddenIds: ReadonlySet<unknown>;
}

/**
 * The message that a client saw of these messages of one turn: joined, without the calls that were answered for it. An id stands for a call
 * within its own message only: several servers number the calls of each response anew.
 */
export function visibleMessage(messages: readonly AnsweredMessage[]): JsonObject {
  return messages.map(({ message, hiddenIds }) => withoutCalls(message, hiddenIds)).reduce(joinMessages);
}

/** A turn of the model as it is joined with others. */
export function answeredMessage({ message, searches }: Pick<Turn, 'message' | 'searches'>): AnsweredMessage {
  return {
    message: JSON.parse(message) as JsonObject,
    hiddenIds: new Set(searches.map(({ id }) => id)),
  };
}

function withoutCalls(message: JsonObject, hiddenIds: ReadonlySet<unknown>): JsonObject {
  const calls = callsOf(message).filter(({ id }) => !hiddenIds.has(id));
  const { tool_calls, ...rest } = message;
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
