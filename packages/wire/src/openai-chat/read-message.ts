import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';

/**
 * Returns the text of a message's content: a string, or the joined text parts of a list. Empty when there is
 * none.
 */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** Returns the words of a message's content. Parts of a list are separated by white space. */
export function contentWords(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => textOrNone(text) ?? []);
  return texts.reduce(
    (words, text) => (/(^|\s)$/.test(words) || /^\s/.test(text) ? words + text : `${words} ${text}`),
    '',
  );
}

/** Returns the calls of an assistant message. */
export function callsOf(message: JsonObject): JsonObject[] {
  return objectsIn(message.tool_calls);
}

/**
 * Returns the name of the function or custom tool in a call, or in a part of one; empty when it is missing.
 */
export function calledName(call: JsonObject): string {
  const called = isJsonObject(call.function) ? call.function : call.custom;
  return isJsonObject(called) && typeof called.name === 'string' ? called.name : '';
}

/**
 * Returns the original arguments of a call: text, or an object from some servers. Undefined when there are
 * none.
 */
export function calledArguments(call: JsonObject): unknown {
  return isJsonObject(call.function) ? call.function.arguments : undefined;
}
