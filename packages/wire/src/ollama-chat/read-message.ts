import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';

/** Returns the text of a message, which is always one string; empty when there is none. */
export function contentText({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}

/** Returns the calls of an assistant message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/** Returns the name of the tool in a call; empty when it is missing. */
export function calledName({ function: called }: JsonObject): string {
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/** Returns the arguments of a call, an object; undefined when there are none. */
export function calledArguments({ function: called }: JsonObject): unknown {
  return isJsonObject(called) ? called.arguments : undefined;
}

/** Returns the ids of these calls; servers before version 0.13 give none. */
export function idsOf(calls: readonly JsonObject[]): string[] {
  return calls.flatMap(({ id }) => textOrNone(id) ?? []);
}
