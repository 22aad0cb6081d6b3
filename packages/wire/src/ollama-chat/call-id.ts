import { type JsonObject, textOrNone } from '../json/json-splice.ts';
import { calledName, callsOf } from './read-message.ts';

/**
 * Returns the id of a message's call at position `ordinal`: its own, or one made of its position, because
 * calls need no id in this format. A made-up id is never sent.
 */
export function callId(call: JsonObject, ordinal: number): string {
  return textOrNone(call.id) ?? `${MADE_UP}${ordinal}`;
}

/** Whether an id was made up by `callId`. */
export function isMadeUpId(id: string): boolean {
  return id.startsWith(MADE_UP);
}

/** Returns the names of a message's calls, by their ids. */
export function callNames(message: JsonObject): ReadonlyMap<string, string> {
  return new Map(callsOf(message).map((call, ordinal) => [callId(call, ordinal), calledName(call)]));
}

const MADE_UP = '#';
