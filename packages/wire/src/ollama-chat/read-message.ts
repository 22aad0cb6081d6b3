import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** The objects in a list; nothing for what is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** A string that says something; undefined for anything else, the empty string included. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The text of a message, which is always one string; empty when there is none. */
export function contentText({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}

/** The calls of an assistant's message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/** The name of the tool that a call is for; empty when it does not say. */
export function calledName({ function: called }: JsonObject): string {
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/** The arguments of a call: an object. Undefined when there are none. */
export function calledArguments({ function: called }: JsonObject): unknown {
  return isJsonObject(called) ? called.arguments : undefined;
}

/** The ids of these calls; servers before version 0.13 give none. */
export function idsOf(calls: readonly JsonObject[]): string[] {
  return calls.flatMap(({ id }) => textOrNone(id) ?? []);
}
