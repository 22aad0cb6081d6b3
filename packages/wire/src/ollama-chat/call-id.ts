import type { JsonObject } from '../json/json-splice.ts';
import { calledName, callsOf, textOrNone } from './read-message.ts';

/**
 * The id of the call that is number `ordinal` of its message: its own, or one that is made up of its place, as calls need none here. One that is
 * made up is never sent.
 */
export function callId(call: JsonObject, ordinal: number): string {
  return textOrNone(call.id) ?? `${MADE_UP}${ordinal}`;
}

/** Whether an id was made up here. */
export function isMadeUpId(id: string): boolean {
  return id.startsWith(MADE_UP);
}

/** The names of a message's calls, by their ids. */
export function callNames(message: JsonObject): ReadonlyMap<string, string> {
  return new Map(callsOf(message).map((call, ordinal) => [callId(call, ordinal), calledName(call)]));
}

const MADE_UP = '#';
